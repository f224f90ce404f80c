-- What a server declares in every tenant (workflows and schedules), as a hash: what was registered in
-- a tenant last, and what each process declares. A start enters only tenants where it differs.
alter table tenant add column modules text;
alter table node add column modules text not null default '';
