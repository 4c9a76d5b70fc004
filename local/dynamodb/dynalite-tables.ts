import { mkdirSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import dynalite from 'dynalite'
import dynaliteStore from 'dynalite/db/index.js'
import { repairIndexes } from './index-repair.ts'

/** A request whose body has been read completely. */
export interface ArrivedCall {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The tables of a folder, ready to answer calls. */
export type OpenTables = Awaited<ReturnType<typeof openTables>>

/**
 * Opens the tables of a folder (dynalite over LevelDB), which is created if it does not exist. No other process may
 * have it open. Repairs indexes that a killed process left inconsistent.
 *
 * If the disk refuses a write, dynalite throws LevelDB's error, which nothing catches: the process ends before it
 * answers any later write, which LevelDB could not read back after a torn record.
 *
 * @throws Error if the folder cannot be opened
 */
export async function openTables(folder: string) {
  mkdirSync(folder, { recursive: true })
  await repairIndexes(folder)
  const store = dynaliteStore.create({ path: folder, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
  await store.db.open()
  // dynalite creates its store itself, so its factory is replaced while it does.
  const { create } = dynaliteStore
  dynaliteStore.create = () => store
  try {
    const server = dynalite({ path: folder })
    return {
      // The body is read beforehand, because dynalite throws an uncaught error if a client disconnects mid-request.
      serve: ({ body, ...call }: ArrivedCall, response: ServerResponse): void =>
        void server.emit('request', Object.assign(Readable.from([body]), call), response),
      close: (): Promise<void> => store.db.close(),
    }
  } finally {
    dynaliteStore.create = create
  }
}
