declare module 'dynalite' {
  import type { Server } from 'node:http'

  interface DynaliteOptions {
    /** Folder of the LevelDB store; in memory if absent. */
    readonly path?: string
    readonly createTableMs?: number
    readonly deleteTableMs?: number
    readonly updateTableMs?: number
  }

  const dynalite: (options: DynaliteOptions) => Server
  export default dynalite
}

/** dynalite's storage layer. It is not a public API, so the version is pinned and a test checks what we use. */
declare module 'dynalite/db/index.js' {
  export interface StoredTable {
    readonly GlobalSecondaryIndexes?: readonly unknown[]
  }

  type Operation =
    | { readonly type: 'put'; readonly key: string; readonly value: unknown }
    | { readonly type: 'del'; readonly key: string }

  export type Callback = (error: unknown) => void

  /** LevelDB with JSON values. A write without a callback returns a promise. */
  export interface Level {
    open(): Promise<void>
    iterator(): AsyncIterable<readonly [key: string, value: unknown]>
    put(key: string, value: unknown, callback?: Callback): Promise<void>
    del(key: string, callback?: Callback): Promise<void>
    batch(operations: readonly Operation[], callback?: Callback): Promise<void>
    close(): Promise<void>
  }

  interface Store {
    readonly db: Level
  }

  interface StoreOptions {
    readonly path: string
    readonly createTableMs?: number
    readonly deleteTableMs?: number
    readonly updateTableMs?: number
  }

  const dynaliteStore: {
    create(options: StoreOptions): Store
    getIndexActions(
      indexes: readonly unknown[],
      existingItem: unknown,
      item: unknown,
      table: StoredTable,
    ): { readonly puts: readonly { readonly index: string; readonly key: string; readonly item: unknown }[] }
  }
  export default dynaliteStore
}
