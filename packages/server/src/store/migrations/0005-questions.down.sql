drop function pith.find_expired_questions, pith.close_questions, pith.list_questions, pith.answer_question, pith.ask_question;
drop table pith.question;
