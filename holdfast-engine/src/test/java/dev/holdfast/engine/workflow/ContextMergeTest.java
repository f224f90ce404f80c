package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class ContextMergeTest {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private static JsonNode json(String text) {
    return MAPPER.readTree(text.replace('\'', '"'));
  }

  private static ContextMerge merge(@Nullable String input) {
    return new ContextMerge(FakeRun.ID, "test::flow", input == null ? null : json(input));
  }

  private static void expect(ContextMerge merge, String expected) {
    ObjectNode context = merge.context().deepCopy();
    context.remove("run");
    assertThat(context).isEqualTo(json(expected));
  }

  @Test
  void anObjectAsInputIsMergedAndAnotherInputHasAName() {
    expect(merge("{'a':1}"), "{'a':1}");
    expect(merge("[1]"), "{'input':[1]}");
    expect(merge(null), "{}");
  }

  @Test
  void objectsAreMergedDeeplyArraysAppendedAndOtherValuesReplaced() {
    ContextMerge merge = merge("{'o':{'a':1,'b':[1]},'s':1,'t':[1]}");
    merge.add("x", json("{'o':{'b':[2],'c':{}},'s':2,'t':'text'}"));
    expect(merge, "{'o':{'a':1,'b':[1,2],'c':{}},'s':2,'t':'text'}");
  }

  @Test
  void nullIsAValue() {
    ContextMerge merge = merge("{'a':1}");
    merge.add("x", json("{'a':null}"));
    merge.add("y", json("null"));
    expect(merge, "{'a':null,'y':null}");
  }

  @Test
  void anOutputThatIsNotAnObjectHasTheNameOfItsStep() {
    ContextMerge merge = merge(null);
    merge.add("x", json("[1]"));
    merge.addNamed("y", json("{'a':1}"));
    expect(merge, "{'x':[1],'y':{'a':1}}");
  }

  @Test
  void outputsDoNotReplaceReservedFields() {
    ContextMerge merge = merge("{'event':{'id':1},'run':'mine'}");
    merge.add("x", json("{'event':2,'run':3,'schedule':4,'trigger':5,'a':6}"));
    merge.add("event", json("[7]"));
    expect(merge, "{'event':{'id':1},'a':6}");
    assertThat(merge.context().get("run").get("id").stringValue()).isEqualTo(FakeRun.ID.toString());
  }

  @Test
  void whatIsMergedIsNotChanged() {
    JsonNode one = json("{'a':[1]}");
    ContextMerge merge = merge(null);
    merge.add("x", one);
    merge.add("y", json("{'a':[2]}"));
    assertThat(one).isEqualTo(json("{'a':[1]}"));
  }
}
