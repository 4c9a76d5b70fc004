declare module 'dynalite' {
  import type { Server } from 'node:http'

  interface DynaliteOptions {
    /** Folder of the LevelDB store; in memory where absent. */
    readonly path?: string
    readonly createTableMs?: number
    readonly deleteTableMs?: number
    readonly updateTableMs?: number
  }

  const dynalite: (options: DynaliteOptions) => Server
  export default dynalite
}

/** What keeps dynalite's tables: no API of its own, so the version is fixed and a test holds it to what is used. */
declare module 'dynalite/db/index.js' {
  export interface StoredTable {
    readonly GlobalSecondaryIndexes?: readonly unknown[]
  }

  type Operation =
    | { readonly type: 'put'; readonly key: string; readonly value: unknown }
    | { readonly type: 'del'; readonly key: string }

  /** LevelDB with values in JSON. */
  interface Store {
    readonly db: {
      iterator(): AsyncIterable<readonly [key: string, value: unknown]>
      batch(operations: readonly Operation[]): Promise<void>
      close(): Promise<void>
    }
  }

  const dynaliteStore: {
    create(options: { readonly path: string }): Store
    getIndexActions(
      indexes: readonly unknown[],
      existingItem: unknown,
      item: unknown,
      table: StoredTable,
    ): { readonly puts: readonly { readonly index: string; readonly key: string; readonly item: unknown }[] }
  }
  export default dynaliteStore
}
