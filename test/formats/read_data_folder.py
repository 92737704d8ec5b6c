"""Reads a whole data folder, or a backup, from the description in docs/formats alone, and prints its contents as JSON.

    python3 read_data_folder.py <folder> <asked>

`asked` is JSON: {"batches": [id...], "tokens": [{"token", "scope"}...], "keys": [[subscriber, ingest, key]...],
"itemKeys": [[identifier, type]...], "dataFolderPage": the page's text}.
"""

import fnmatch
import json
import os
import sqlite3
import sys

from batch_id import read_batch_id
from damage import Damaged, crc32, expect
from idempotency_keys import key_hash, read_keys
from journal import read_journal
from metadata_item import key_of, read_attributes
from next_token import read_next_token
from parquet import read_parquet
from series_index import SeriesIndex, check_index
from series_registry import read_registry

MANIFEST = ("store_state", "store_files", "store_registries", "ingest_counts")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def read_catalog(folder):
    catalog = sqlite3.connect(f"file:{folder}/catalog.sqlite?mode=ro", uri=True)
    catalog.row_factory = sqlite3.Row
    return catalog


def read_manifest(catalog):
    manifest = {}
    for table in MANIFEST:
        manifest[table] = [dict(row) for row in catalog.execute(f"SELECT * FROM {table}")]
        for row in manifest[table]:
            checksum = row.pop("checksum")
            text = json.dumps([table, sorted(map(list, row.items()))], separators=(",", ":"), ensure_ascii=False)
            expect(checksum, crc32(text.encode()), f"checksum of a row of {table}")
    return manifest


def read_secret(catalog, name):
    (value,) = catalog.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
    return bytes.fromhex(value)


def read_store(folder):
    """Returns the rows of each entity, ordered by position, and the kinds of sections that were checked against them."""
    entities = {}
    kinds = set()
    for entity in sorted(os.listdir(f"{folder}/store")):
        directory = f"{folder}/store/{entity}"
        registry = read_registry(read(f"{directory}/series.log"), int(entity))
        rows = entities.setdefault(entity, {})
        for name in sorted(os.listdir(directory)):
            if name.endswith(".parquet"):
                parquet = read(f"{directory}/{name}")
                columns = read_parquet(parquet)
                index = SeriesIndex(read(f"{directory}/{name.removesuffix('.parquet')}.index"))
                expect(index.entity, int(entity), f"entity of {name}")
                kinds.update(check_index(index, parquet, columns))
                check_numbers(index, columns, registry)
                names = [column["name"] for column in columns]
                for values in zip(*(column["values"] for column in columns)):
                    row = dict(zip(names, values))
                    rows[row.pop("@position")] = row
    return {entity: [rows[position] for position in sorted(rows)] for entity, rows in entities.items()}, sorted(kinds)


def check_numbers(index, columns, registry):
    """Checks that the registry has the same tags for a series as its rows."""
    by_name = {column["name"]: column["values"] for column in columns}
    begin = 0
    for number, end in zip(index.numbers, index.row_ends):
        values = [by_name[tag][begin] if tag in by_name else None for tag in registry["tags"]]
        expect(registry["series"][number], values, f"tags of series {number}")
        begin = end


def read_items(catalog):
    rows = catalog.execute("SELECT * FROM items ORDER BY entity_id, item_key")
    return [{"key": bytes(row["item_key"]).hex(), "attributes": read_attributes(row["attributes"])} for row in rows]


def check_backup(folder):
    text = json.loads(read(f"{folder}/backup.json"))
    checksum = text.pop("checksum")
    expect(text["format"], 1, "format of the backup")
    expect(checksum, crc32(json.dumps(text, separators=(",", ":"), ensure_ascii=False).encode()), "checksum of backup.json")
    for file in text["files"]:
        data = read(f"{folder}/{file['path']}")
        expect((len(data), crc32(data)), (file["bytes"], file["checksum"]), file["path"])
    listed = {file["path"] for file in text["files"]} | {"backup.json"}
    expect(set(paths_under(folder)), listed, "files of the backup")
    return text["position"]


def paths_under(folder):
    for directory, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(directory, name), folder).replace(os.sep, "/")


def check_paths(folder, page):
    """Checks that the page names every file in the folder."""
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    patterns = []
    for row in rows:
        first, *others = row.split("|")[1].split("`")[1::2]
        patterns.append(first)
        # A further word is a name in the same folder as the first one or, with a leading "-", a suffix of the first one.
        patterns += [first + word if word.startswith("-") else os.path.join(os.path.dirname(first), word) for word in others]
    patterns = [pattern.replace("<entity>", "*") for pattern in patterns]
    for path in paths_under(folder):
        named = any(fnmatch.fnmatch(path, pattern) or (pattern.endswith("/") and path.startswith(pattern)) for pattern in patterns)
        if not named:
            raise Damaged(f"{path} is in the folder, and the page of the data folder does not name it")


def main():
    folder, asked = sys.argv[1], json.loads(sys.argv[2])
    catalog = read_catalog(folder)
    store, kinds = read_store(folder)
    keys = read_keys(f"{folder}/idempotency") if os.path.isdir(f"{folder}/idempotency") else {"entries": {}, "through": 0}
    found = {
        "manifest": read_manifest(catalog),
        "journal": read_journal(f"{folder}/journal"),
        "store": store,
        "sections": kinds,
        "items": read_items(catalog),
        "itemKeys": [key_of(*pair).hex() for pair in asked.get("itemKeys", [])],
        "batches": [read_batch_id(text, read_secret(catalog, "batch-id")) for text in asked.get("batches", [])],
        "tokens": [read_next_token(each["token"], each["scope"], read_secret(catalog, "next-token")) for each in asked.get("tokens", [])],
        "keys": [keys["entries"].get(key_hash(*key).hex()) for key in asked.get("keys", [])],
    }
    if os.path.exists(f"{folder}/backup.json"):
        found["backupPosition"] = check_backup(folder)
    if "dataFolderPage" in asked:
        check_paths(folder, asked["dataFolderPage"])
    json.dump(found, sys.stdout)


main()
