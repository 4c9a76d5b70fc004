import { readFile, writeFile } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import type { Networks } from '../inline-groups/group-reference.ts'
import { GroupStore } from '../inline-groups/group-store.ts'

interface SavedGroups {
  readonly npis: Float64Array<ArrayBuffer>
  readonly lists: readonly Uint32Array<ArrayBuffer>[]
  readonly networks: readonly Networks[]
  readonly textBytes: Uint8Array
  readonly textStarts: Uint32Array
}

/** Writes a store to a new file. */
export async function saveGroups(path: string, { npis, lists, networkLists, texts }: GroupStore): Promise<void> {
  const saved: SavedGroups = {
    npis: npis.view(),
    lists: lists.map((list) => list.view()),
    networks: networkLists,
    textBytes: texts.bytes.subarray(0, texts.starts[texts.count]),
    textStarts: texts.starts.subarray(0, texts.count + 1),
  }
  await writeFile(path, serialize(saved), { flag: 'wx' })
}

/** Reads a store, to which nothing can be added any more. */
export async function readGroups(path: string): Promise<GroupStore> {
  const { npis, lists, networks, textBytes, textStarts }: SavedGroups = deserialize(await readFile(path))
  const store = new GroupStore()
  store.texts.addAll(textBytes, textStarts)
  store.networkLists.push(...networks)
  store.npis.restore(npis)
  for (const [index, list] of store.lists.entries()) list.restore(lists[index] ?? new Uint32Array(0))
  return store
}
