import { crc32 } from 'node:zlib'
import type { FileLists, ListFaults } from '../../core/search/ports.ts'
import type { Footer, ResultFiles } from '../../core/workflow/ports.ts'
import { fileListKey } from '../../schema/columns/search-tables.ts'

/** Result files and lists of files in memory. */

export interface MemoryResultFiles extends ResultFiles {
  readonly manifests: Map<string, readonly string[]>
  readonly footers: Map<string, Footer>
  readonly written: Map<string, Uint8Array>
}

export function createMemoryResultFiles(footerOf: (key: string, bytes: number) => Footer): MemoryResultFiles {
  const files: MemoryResultFiles = {
    manifests: new Map(),
    footers: new Map(),
    written: new Map(),
    addressOf: (prefix) => `s3://results-bucket/${prefix}`,
    readManifest: async (manifest) => {
      const keys = files.manifests.get(manifest)
      if (keys === undefined) throw new Error(`there is no manifest ${manifest}`)
      return keys
    },
    readFooter: async (key) => {
      const footer = files.footers.get(key)
      if (footer === undefined) throw new Error(`there is no file ${key}`)
      return footer
    },
    write: async (key, body) => {
      files.written.set(key, body)
      const value = Buffer.alloc(4)
      value.writeUInt32BE(crc32(body))
      const checksum = { algorithm: 'CRC32', type: 'FULL_OBJECT', value: value.toString('base64') } as const
      const footer = { ...footerOf(key, body.byteLength), checksum }
      files.footers.set(key, footer)
      return footer
    },
    removeBelow: async (prefix) => {
      for (const key of files.written.keys()) if (key.startsWith(prefix)) files.written.delete(key)
      for (const key of files.footers.keys()) if (key.startsWith(prefix)) files.footers.delete(key)
    },
  }
  return files
}

export interface MemoryFileLists extends FileLists {
  /** The addresses of each list, by its key. */
  readonly lists: Map<string, readonly string[]>
}

/** Lists of files in memory. */
export function createMemoryFileLists(): MemoryFileLists {
  const lists: MemoryFileLists['lists'] = new Map()
  return {
    lists,
    write: async ({ table, searchId, addresses }) => void lists.set(fileListKey(table, searchId), addresses),
  }
}

/** Times at which lists did not work, in memory. */
export function createMemoryListFaults(): ListFaults & { foundAt: Date | undefined } {
  const faults: ReturnType<typeof createMemoryListFaults> = {
    foundAt: undefined,
    read: async () => faults.foundAt,
    note: async (at, before) => {
      if (faults.foundAt !== undefined && faults.foundAt > before) return 'superseded'
      faults.foundAt = at
      return 'written'
    },
  }
  return faults
}
