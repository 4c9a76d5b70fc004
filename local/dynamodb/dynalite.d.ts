declare module 'dynalite' {
  import type { Server } from 'node:http'

  /** @param options.path folder of the LevelDB store */
  const dynalite: (options: { readonly path: string }) => Server
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

  /** LevelDB with JSON values. */
  interface Level {
    open(): Promise<void>
    iterator(): AsyncIterable<readonly [key: string, value: unknown]>
    batch(operations: readonly Operation[]): Promise<void>
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
