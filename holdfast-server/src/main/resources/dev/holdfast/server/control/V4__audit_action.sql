-- Lists of a rare action went through all entries of the tenant.
create index audit_action on audit (tenant, action, id);
