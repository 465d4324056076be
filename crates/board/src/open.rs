//! A database file: created, opened, checked and written.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use duckdb::{AccessMode, Config, Connection};
use kumite_core::contest::rows::Write;
use rustix::fs::{Access, access};

use crate::error::{Error, Kind};
use crate::schema::TABLES;
use crate::tables::{complete, lacking};
use crate::upsert::upsert;

/// How often a locked file is tried again.
pub const LOCK_STEP: Duration = Duration::from_millis(10);
/// How long a writer tries. Other writers release the file after half of this time.
const LOCK_WAIT: Duration = Duration::from_secs(1);

/// DuckDB 1.1 and later can open such a file; 1.0 cannot, because of the indexes.
const STORAGE_VERSION: &str = "v1.0.0";
/// The smallest size, because our tables are small. It reduces the file to a fifth and the memory
/// to a half.
const BLOCK_SIZE: &str = "16384";
/// A limit, not a reservation: rows of ten megabytes must fit.
const MEMORY: &str = "1GB";

/// Opens the file for writing. A missing file is created; missing tables are added, and columns
/// that the board of an older kumite does not have.
pub fn open(db: &Path) -> Result<Connection, Error> {
    let db = absolute(db)?;
    if !exists(&db)? {
        set_log_aside(&db)?;
        make(&db)?;
    }
    let connection = patiently(LOCK_WAIT, || connect(&db, AccessMode::ReadWrite, None))?;
    complete(&db, &connection, TABLES)?;
    Ok(connection)
}

/// Whether `open` would succeed. Nothing is created.
pub fn check(db: &Path) -> Result<(), Error> {
    let db = absolute(db)?;
    let dir = parent(&db);
    if !dir.is_dir() {
        let message = format!(
            "cannot make {}: there is no directory {}",
            db.display(),
            dir.display()
        );
        return Err(Error::new(Kind::Other, message));
    }
    // DuckDB keeps its log beside the file.
    access(dir, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| Error::of_io(&db, &error.into()))?;
    if !exists(&db)? {
        return Ok(());
    }
    let connection = patiently(LOCK_WAIT, || connect(&db, AccessMode::ReadWrite, None))?;
    lacking(&db, &connection, TABLES).map(|_| ())
}

/// Moves the log into the file, so that a copy of the file is complete. An error loses nothing: the
/// log is still there.
///
/// DuckDB 1.5 would do this itself when it closes a file, but it loses index entries if it does so
/// right after reading the log of a killed process; see `connect`.
pub fn close(connection: Connection) {
    let _ = connection.execute_batch("CHECKPOINT");
}

/// One transaction: all or nothing.
pub fn write<'a>(
    db: &Path,
    connection: &Connection,
    writes: impl IntoIterator<Item = &'a Write>,
) -> Result<(), Error> {
    let all = || {
        let transaction = connection.unchecked_transaction()?;
        upsert(connection, writes.into_iter().flat_map(|write| &write.rows))?;
        transaction.commit()
    };
    all().map_err(|error| Error::of_duckdb(db, &error))
}

/// Tries again while another process has the file.
pub fn patiently<T>(
    wait: Duration,
    mut open: impl FnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    let began = Instant::now();
    loop {
        match open() {
            Err(error) if error.kind == Kind::Locked && began.elapsed() < wait => {
                thread::sleep(LOCK_STEP);
            }
            done => return done,
        }
    }
}

pub fn connect(db: &Path, mode: AccessMode, storage: Option<&str>) -> Result<Connection, Error> {
    check_magic(db)?;
    let open = || {
        let mut config = Config::default()
            .access_mode(mode)?
            .enable_autoload_extension(false)?
            .threads(1)?
            .max_memory(MEMORY)?
            // Leave no temporary files beside the database.
            .with("temp_directory", "")?;
        if let Some(version) = storage {
            config = config
                .with("storage_compatibility_version", version)?
                .with("default_block_size", BLOCK_SIZE)?;
        }
        let connection = Connection::open_with_flags(db, config)?;
        connection.execute_batch("PRAGMA disable_checkpoint_on_shutdown")?;
        Ok(connection)
    };
    open().map_err(|error| Error::of_duckdb(db, &error))
}

/// DuckDB would download an extension for a file of another database. A nearly empty file may just
/// be in creation: DuckDB and its lock decide then.
fn check_magic(db: &Path) -> Result<(), Error> {
    let refuse = |what: &str| {
        let message = format!(
            "{} is {what}, not a DuckDB database; it was left as it is",
            db.display()
        );
        Err(Error::new(Kind::NoDatabase, message))
    };
    let mut start = [0; 12];
    let mut file = match File::open(db) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::of_io(db, &error)),
    };
    if file.metadata().is_ok_and(|about| about.is_dir()) {
        return refuse("a directory");
    }
    match file.read_exact(&mut start) {
        Ok(()) if start.ends_with(b"DUCK") => Ok(()),
        Ok(()) => refuse("another kind of file"),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(()),
        Err(error) => Err(Error::of_io(db, &error)),
    }
}

/// Creates the file completely or not at all: two processes that start together never see a
/// half-made file.
fn make(db: &Path) -> Result<(), Error> {
    let of_io = |error| Error::of_io(db, &error);
    let dir = tempfile::Builder::new()
        .prefix(".kumite-board-")
        .tempdir_in(parent(db))
        .map_err(of_io)?;
    let new = dir.path().join("new.db");
    let connection = connect(&new, AccessMode::ReadWrite, Some(STORAGE_VERSION))?;
    complete(db, &connection, TABLES)?;
    close(connection);
    match fs::hard_link(&new, db) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        // Not every file system has hard links.
        Err(_) if !exists(db)? => fs::rename(&new, db).map_err(of_io),
        done => done.map_err(of_io),
    }
}

/// The log of a file that was removed fits no other file, and DuckDB would refuse the new one
/// because of it. It may hold rows that a person wants, so it gets another name. The caller has its
/// turn: no other kumite makes the file meanwhile.
fn set_log_aside(db: &Path) -> Result<(), Error> {
    let beside = |ending: &str| {
        let mut name = db.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let log = beside(".wal");
    if !exists(&log)? {
        return Ok(());
    }
    let mut aside = beside(".wal.without-database");
    let mut number = 1;
    while exists(&aside)? {
        number += 1;
        aside = beside(&format!(".wal.without-database-{number}"));
    }
    fs::rename(&log, &aside).map_err(|error| Error::of_io(db, &error))?;
    eprintln!(
        "kumite-board: {} was removed, but not its log; the log is now {}, and the leader board is \
         made anew from the journals of contests that are run or resumed",
        db.display(),
        aside.display()
    );
    Ok(())
}

/// DuckDB takes the beginning of a relative path for a URL scheme.
pub fn absolute(db: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(db).map_err(|error| Error::of_io(db, &error))
}

fn parent(db: &Path) -> &Path {
    db.parent().unwrap_or(db)
}

fn exists(db: &Path) -> Result<bool, Error> {
    fs::exists(db).map_err(|error| Error::of_io(db, &error))
}
