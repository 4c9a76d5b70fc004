import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileLists } from '../../../core/search/ports.ts'
import type { ResultStore } from '../../../local/athena/unload.ts'
import { fileListKey, fileListsBelow, writeFileList } from '../../../schema/columns/search-tables.ts'

/** An object store in a folder: buckets are subfolders, keys are paths below them. */
export interface ObjectFolder extends ResultStore {
  /** Lists the keys with this prefix. */
  list(bucket: string, prefix: string): Promise<readonly string[]>
  read(address: string): Promise<string>
  /** Returns the file path of an object's `s3://` address. */
  pathOf(address: string): string
}

/** Writes lists of files where the local Athena of a test reads them. */
export function openFileLists({ pathOf }: Pick<ObjectFolder, 'pathOf'>): FileLists {
  return {
    write: async ({ table, searchId, addresses }) => {
      const path = pathOf(fileListsBelow(queryResults) + fileListKey(table, searchId))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, writeFileList(addresses))
    },
  }
}

/** The result location of queries in tests of the local Athena. */
export const queryResults = 's3://results/athena/'

export function createObjectFolder(folder: string): ObjectFolder {
  const list = async (bucket: string, prefix: string) => {
    await mkdir(join(folder, bucket), { recursive: true })
    const entries = await readdir(join(folder, bucket), { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, bucket).length + 1))
      .filter((key) => key.startsWith(prefix))
      .sort()
  }
  const pathOf = (address: string) => join(folder, address.replace(/^s3:\/\//, ''))
  return {
    putObject: async (bucket, key, filePath) => {
      await mkdir(dirname(join(folder, bucket, key)), { recursive: true })
      await copyFile(filePath, join(folder, bucket, key))
    },
    isEmptyPrefix: async (bucket, prefix) => (await list(bucket, prefix)).length === 0,
    readText: async (bucket, key) =>
      (await list(bucket, key)).includes(key) ? readFile(join(folder, bucket, key), 'utf8') : undefined,
    list,
    read: (address) => readFile(pathOf(address), 'utf8'),
    pathOf,
  }
}
