drop function pith.find_outdated_sessions, pith.mark_files_removed, pith.find_erased_files, pith.confirm_erasures, pith.list_erased_runs,
  pith.erase_tenant, pith.erase_session, pith.list_legal_holds, pith.set_legal_hold, pith.lock_tenant,
  pith.list_audit, pith.record_decisions, pith.record_action;

-- As in 0002.
create function pith.erase_session(p_tenant uuid, p_id text) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  erased bigint;
begin
  delete from pith.session s where s.tenant = p_tenant and s.id = p_id returning s.key into erased;
  delete from pith.entry e where e.session = erased;
  return erased is not null;
end
$$;

create function pith.erase_tenant(p_tenant uuid) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  delete from pith.session s where s.tenant = p_tenant;
  delete from pith.entry e where e.tenant = p_tenant;
  delete from pith.tenant t where t.id = p_tenant;
  return found;
end
$$;

drop function pith.replace_key, pith.find_outdated_keys, pith.delete_key, pith.list_keys, pith.save_key, pith.write_settings, pith.read_tenant,
  pith.remove_dead_tokens, pith.rotate_token, pith.revoke_token, pith.list_tokens, pith.authenticate, pith.create_token, pith.is_past;
drop trigger refuse_erased_tenant on pith.tenant;
drop function pith.refuse_erased_tenant;
drop policy check_retention on pith.tenant;
drop table pith.erasure, pith.audit, pith.saved_key, pith.token_secret, pith.token;
alter table pith.session drop column legal_hold;
alter table pith.tenant drop column settings, drop column retention_days, drop column retention_checked, drop column legal_hold;
