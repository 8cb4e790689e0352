drop function pith.copy_blobs, pith.search_sessions, pith.list_unindexed, pith.read_session, pith.read_command, pith.finish_command;
alter table pith.inbox drop column result;
