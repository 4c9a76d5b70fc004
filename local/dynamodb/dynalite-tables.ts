import { readdirSync, statSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import dynalite from 'dynalite'
import type { Callback, Level } from 'dynalite/db/index.js'
import dynaliteStore from 'dynalite/db/index.js'
import { repairIndexes } from './index-repair.ts'
import { requireStorage, StorageUnusable } from './storage-fault.ts'

/** A request whose body has been read completely. */
export interface ArrivedCall {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

type Serve = (call: ArrivedCall, response: ServerResponse) => void

/** The tables of a folder. */
export interface Tables {
  /** Serves one DynamoDB call. */
  readonly serve: Serve
  close(): Promise<void>
}

/**
 * Opens the tables of a folder (dynalite over LevelDB). No other process may have it open.
 *
 * If the disk refuses a write, that write and all later ones fail with DynamoDB's InternalServerError until LevelDB is
 * reopened, because it cannot read back what it appends after a torn record. It reopens before the first call that
 * finds the disk writable; reads work meanwhile.
 *
 * @throws Error if the folder cannot be opened
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
        // The next call retries. A full or read-only disk has already been reported.
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

/** Extra room for reopening LevelDB, which writes its logs out as a table and then its lists of files. */
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
  // dynalite creates its store itself, so its factory is replaced while it does.
  const { create } = dynaliteStore
  dynaliteStore.create = () => store
  try {
    const server = dynalite({ path: folder })
    return {
      // The body is read beforehand, because dynalite throws an uncaught error if a client disconnects mid-request.
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
 * Runs a store's writes one at a time until one fails; from then on every write fails with DynamoDB's error. dynalite
 * would throw LevelDB's own error, which nothing catches.
 *
 * @returns a function that tells whether a write has failed
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
      process.emitWarning(`DynamoDB refuses writes until the disk accepts them again: ${String(cause)}`)
      throw new WriteRefused({ cause })
    }
  }
  const inTurn = async (write: () => Promise<void>, callback?: Callback) => {
    const written = follow(write)
    last = written.catch(() => {})
    if (callback === undefined) return written
    // Outside the promise chain, so that an error in the callback is not mistaken for a failed write.
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

/** Source: Amazon DynamoDB developer guide, "Error handling": HTTP status 500, which the SDK retries. */
const internalServerError = {
  __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
  message: 'The request could not be completed due to an error on the server',
}

/** Has the status and body fields that dynalite expects of an error response. */
class WriteRefused extends Error {
  override readonly name = 'WriteRefused'
  readonly statusCode = 500
  readonly body = internalServerError
  constructor(options?: ErrorOptions) {
    super(internalServerError.message, options)
  }
}
