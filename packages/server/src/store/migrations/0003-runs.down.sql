drop function pith.unpark_session, pith.list_parked, pith.list_held, pith.find_stranded, pith.release_session, pith.mark_delivered,
  pith.read_inbox, pith.hold_session, pith.accept_message, pith.is_silent, pith.beat;
drop policy across_tenants on pith.session;
drop table pith.worker, pith.inbox;
alter table pith.session drop column holder, drop column busy_since, drop column accepted, drop column delivered,
  drop column takeovers, drop column takeover_seq, drop column parked;
