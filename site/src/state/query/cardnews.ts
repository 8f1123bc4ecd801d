/** What the cards of the front page say after the services are there. */
import "./findsilence.ts";
import "./loadchanges.ts";
