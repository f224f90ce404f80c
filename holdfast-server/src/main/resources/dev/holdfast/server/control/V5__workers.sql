-- Remote workers are nodes too. They belong to one tenant, which holds them; null for servers.
alter table node add column tenant int;
