#!/usr/bin/env python3
"""A Holdfast worker with the standard library only. Replace the tasks with yours, and run it:
HOLDFAST_URL=http://localhost:7420 HOLDFAST_KEY=holdfast_... python3 worker.py"""
import http.client, json, os, re, signal, socket, threading, time, urllib.error, urllib.request, uuid
from concurrent.futures import ThreadPoolExecutor

BASE = f"{os.environ['HOLDFAST_URL']}/v1/tenants/{os.environ.get('HOLDFAST_TENANT', 'default')}/workers"
KEY, CAPACITY = os.environ["HOLDFAST_KEY"], int(os.environ.get("HOLDFAST_CAPACITY", "10"))
stopping = threading.Event()  # Set by SIGTERM: the worker ends what it has, and deregisters.

def seconds(text):  # PT1M, PT7.5S and the like
    return sum(float(n) * {"H": 3600, "M": 60, "S": 1}[unit] for n, unit in re.findall(r"([\d.]+)([HMS])", text))

def count(payload, job):
    for done in range(payload["steps"]):
        if job.stop.wait(payload.get("pause", 0.1)):  # Cancelled or lost, or the worker is fenced.
            raise RuntimeError("The task was told to stop")
        job.progress = {"done": done + 1, "total": payload["steps"]}

TASKS = {"example::add": lambda payload, job: payload["a"] + payload["b"], "example::count": count}

class Dead(Exception): pass  # Others may run its jobs: the worker forgets them and registers again.
class Job:
    def __init__(self, claim):
        self.claim, self.id = claim, {"job": claim["job"], "token": claim["token"]}
        self.progress, self.stop, self.verdict = None, threading.Event(), None

    def run(self, worker):
        worker.check()  # Nothing starts once it may run elsewhere.
        try:
            result = TASKS[self.claim["task"]](self.claim["payload"], self)
            return self.id | {"outcome": "SUCCEEDED", "result": result}
        except Exception as failure:  # A failure may have a code, for the retry policy of the job.
            failed = {"outcome": "FAILED", "code": getattr(failure, "code", "TASK_FAILED"),
                      "message": str(failure), "type": type(failure).__name__}
            return self.id | ({"outcome": self.verdict} if self.verdict else failed)

class Worker:
    def __init__(self):
        self.path, self.state = "", ({}, 0)  # The jobs that it holds, and the last call that was answered.
        self.beaten, self.allowed, self.dead = time.monotonic(), float("inf"), threading.Event()
        name = f"{socket.gethostname()}-{os.getpid()}"
        reply = self.call("", {"worker": str(uuid.uuid4()), "id": name, "tasks": list(TASKS), "capacity": CAPACITY,
                               "timeout": os.environ.get("HOLDFAST_TIMEOUT", "PT1M")})
        self.path = "/" + reply["worker"]
        self.every, self.allowed = seconds(reply["heartbeatEvery"]), seconds(reply["fenceAfter"])
        threading.Thread(target=self.beat, daemon=True).start()

    def check(self):
        if self.dead.is_set() or time.monotonic() - self.beaten > self.allowed: raise Dead()

    def call(self, what, body, method="POST"):
        while True:  # Every call may be repeated: it has a number, or names tokens.
            self.check()
            request = urllib.request.Request(BASE + self.path + what, json.dumps(body).encode(), {
                "Authorization": "Bearer " + KEY, "Content-Type": "application/json"}, method=method)
            try:
                with urllib.request.urlopen(request, timeout=10) as reply:
                    return json.loads(reply.read() or b"{}")
            except urllib.error.HTTPError as refused:
                if refused.code in (404, 409): self.dead.set()
                elif refused.code < 500 and refused.code != 429:
                    raise RuntimeError(refused.read().decode()) from refused
            except (OSError, http.client.HTTPException) as away:
                print(f"{what}: {away}, trying again", flush=True)
            time.sleep(0.5)

    def beat(self):
        try:
            while not self.dead.wait(self.every):
                held, answered = self.state
                jobs = [job.id | {"progress": job.progress} for job in held.values()]
                sent = time.monotonic()  # Before the call: the server counts from no earlier.
                reply = self.call("/heartbeat", {"jobs": jobs, "answered": answered})
                self.beaten = sent
                for what, verdict in ("lost", "CANCELLED"), ("cancel", "CANCELLED"), ("release", "HANDED_BACK"):
                    for job in filter(None, (held.get(each["job"]) for each in reply[what])):
                        job.verdict = verdict
                        job.stop.set()
        except Dead:
            [job.stop.set() for job in self.state[0].values()]

    def work(self, pool):
        outcomes, call = [], 0
        while outcomes or not stopping.is_set():
            call += 1
            reply = self.call("/claim", {"call": call, "outcomes": outcomes} | (
                {"max": 0} if stopping.is_set() else {"max": CAPACITY, "wait": "PT5S"}))
            self.state = ({claim["job"]: Job(claim) for claim in reply["jobs"]}, call)
            outcomes = list(pool.map(lambda job: job.run(self), self.state[0].values()))
        self.call("", {}, "DELETE")

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    while not stopping.is_set():
        try:
            with ThreadPoolExecutor(CAPACITY) as threads:  # Waits for the tasks before it registers again.
                Worker().work(threads)
        except Dead:
            print("Declared dead or fenced: registering again", flush=True)
