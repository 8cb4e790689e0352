drop function pith.list_spent, pith.unpark_session, pith.list_parked, pith.list_held, pith.find_stranded, pith.release_session,
  pith.read_inbox, pith.mark_delivered, pith.hold_session, pith.list_messages, pith.accept_message, pith.is_steady, pith.beat, pith.is_silent;
drop table pith.worker, pith.inbox;
alter table pith.session drop column holder, drop column accepted, drop column delivered, drop column takeovers, drop column takeover_seq;
