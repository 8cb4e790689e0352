drop function pith.replace_key, pith.find_outdated_keys, pith.delete_key, pith.list_keys, pith.save_key, pith.write_settings, pith.read_tenant,
  pith.remove_dead_tokens, pith.rotate_token, pith.revoke_token, pith.list_tokens, pith.authenticate, pith.create_token, pith.is_past;
drop trigger refuse_erased_tenant on pith.tenant;
drop function pith.refuse_erased_tenant;
drop policy check_retention on pith.tenant;
drop table pith.erasure, pith.audit, pith.saved_key, pith.token_secret, pith.token;
alter table pith.session drop column legal_hold;
alter table pith.tenant drop column settings, drop column retention_days, drop column retention_checked, drop column legal_hold;
