import { readdirSync, statSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import dynalite from 'dynalite'
import type { Callback, Level } from 'dynalite/db/index.js'
import dynaliteStore from 'dynalite/db/index.js'
import { repairIndexes } from './index-repair.ts'
import { requireStorage, StorageUnusable } from './storage-fault.ts'

/** A call that has arrived whole. */
export interface ArrivedCall {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

type Serve = (call: ArrivedCall, response: ServerResponse) => void

/** The tables of a folder. */
export interface Tables {
  /** Serves one call of DynamoDB's protocol. */
  readonly serve: Serve
  close(): Promise<void>
}

/**
 * Opens the tables of a folder (dynalite over LevelDB), which no other process may have open.
 *
 * A write that the disk refuses is DynamoDB's InternalServerError, and so is every write after it until LevelDB has been
 * opened anew: what LevelDB appends to a log behind a torn record is not read back by the next process. It is opened anew
 * before the first call that finds the disk writable again. Until then reads are answered.
 *
 * @throws Error where the folder cannot be opened
 */
export async function openTables(folder: string): Promise<Tables> {
  let store: Store | undefined = await openStore(folder)
  let reopening: Promise<void> | undefined
  const underWay = new Set<ServerResponse>()

  async function reopen(): Promise<void> {
    requireStorage(folder, spareBytes + measureLogs(folder))
    await Promise.all([...underWay].map((response) => new Promise((resolve) => response.once('close', resolve))))
    const broken = store
    store = undefined
    await broken?.close()
    store = await openStore(folder)
  }

  const pass: Serve = (call, response) => {
    if (store === undefined) {
      response.writeHead(500, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(internalServerError))
      return
    }
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    store.serve(call, response)
  }

  return {
    serve: (call, response) => {
      if (reopening === undefined && store !== undefined && !store.isBroken()) {
        pass(call, response)
        return
      }
      reopening ??= reopen()
        // Tried again by the next call; that the disk takes no files has been said.
        .catch((error: Error) => {
          if (!(error instanceof StorageUnusable)) process.emitWarning(error)
        })
        .finally(() => {
          reopening = undefined
        })
      reopening.then(() => pass(call, response))
    },
    close: async () => {
      await reopening
      await store?.close()
    },
  }
}

/** What LevelDB writes when it is opened: the content of its logs as a table, and for the rest its lists of files. */
const spareBytes = 1_000_000

function measureLogs(folder: string): number {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'))
  return logs.reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0)
}

interface Store {
  readonly serve: Serve
  /** Whether a write has failed. */
  isBroken(): boolean
  close(): Promise<void>
}

async function openStore(folder: string): Promise<Store> {
  await repairIndexes(folder)
  const store = dynaliteStore.create({ path: folder, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
  await store.db.open()
  const isBroken = guardWrites(store.db)
  // dynalite makes its store itself: it is given this one.
  const { create } = dynaliteStore
  dynaliteStore.create = () => store
  try {
    const server = dynalite({ path: folder })
    return {
      // Read before: dynalite throws where nobody catches it when a client is cut off in the middle of its call.
      serve: ({ body, ...call }, response) =>
        server.emit('request', Object.assign(Readable.from([body]), call), response),
      isBroken,
      close: () => store.db.close(),
    }
  } finally {
    dynaliteStore.create = create
  }
}

/**
 * Lets the writes of a store follow one another, until one fails: then that one and all after it are refused in the words
 * of DynamoDB. dynalite would throw LevelDB's own error where nobody catches it.
 *
 * @returns whether one has failed
 */
function guardWrites(db: Level): () => boolean {
  let isBroken = false
  let last: Promise<void> = Promise.resolve()
  const follow = async (write: () => Promise<void>) => {
    await last
    if (isBroken) throw new WriteRefused()
    try {
      await write()
    } catch (cause) {
      isBroken = true
      process.emitWarning(`The tables take no writes until they can be stored again: ${String(cause)}`)
      throw new WriteRefused({ cause })
    }
  }
  const inTurn = async (write: () => Promise<void>, callback?: Callback) => {
    const written = follow(write)
    last = written.catch(() => {})
    if (callback === undefined) return written
    // Out of the promise: what the callback throws is not the write's failure.
    written.then(
      () => setImmediate(callback, null),
      (error: unknown) => setImmediate(callback, error),
    )
  }
  const { put, del, batch } = db
  db.put = (key, value, callback) => inTurn(() => put(key, value), callback)
  db.del = (key, callback) => inTurn(() => del(key), callback)
  db.batch = (operations, callback) => inTurn(() => batch(operations), callback)
  return () => isBroken
}

/** Source: Amazon DynamoDB developer guide, "Error handling": HTTP status 500, which the SDK tries again. */
const internalServerError = {
  __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
  message: 'The request could not be completed due to an error on the server',
}

/** With the status and the body that dynalite looks for in an error that is to be answered. */
class WriteRefused extends Error {
  override readonly name = 'WriteRefused'
  readonly statusCode = 500
  readonly body = internalServerError
  constructor(options?: ErrorOptions) {
    super(internalServerError.message, options)
  }
}
