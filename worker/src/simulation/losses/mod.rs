//! What dies, changes or is lost: bytes, shards, databases, answers.

mod damage;
mod deploy;
mod published;
mod rebuild;
mod recall;
