drop function pith.list_work, pith.copy_blobs, pith.search_sessions, pith.list_unindexed, pith.read_session;
