drop function pith.read_command, pith.finish_command;
alter table pith.inbox drop column result;
