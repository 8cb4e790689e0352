drop function pith.append_and_count, pith.admit_waiting, pith.admit_next, pith.is_spent, pith.is_key_spent, pith.today, pith.set_key_limits,
  pith.set_tenant_limits;
drop trigger count_places on pith.session;
drop trigger count_deleted_places on pith.session;
drop function pith.count_places;
drop policy across_tenants on pith.session;
drop policy across_tenants on pith.tenant;
drop table pith.usage, pith.provider_key;
alter table pith.session drop column busy_since, drop column has_place, drop column placed_at, drop column parked;
alter table pith.tenant drop column max_runs, drop column max_tokens, drop column max_cost, drop column provider_key, drop column places, drop column placed_at;
