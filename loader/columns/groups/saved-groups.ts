import { readFile, writeFile } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import type { Networks } from './group-fields.ts'
import { StoredGroups } from './stored-groups.ts'

interface SavedGroups {
  readonly npis: Float64Array<ArrayBuffer>
  readonly tins: Uint32Array<ArrayBuffer>
  readonly groups: Uint32Array<ArrayBuffer>
  readonly networks: readonly Networks[]
  readonly textBytes: Uint8Array
  readonly textStarts: Uint32Array
}

/** Writes groups to a new file. */
export async function saveGroups(
  path: string,
  { npis, tins, groups, networkLists, texts }: StoredGroups,
): Promise<void> {
  const saved: SavedGroups = {
    npis: npis.view(),
    tins: tins.view(),
    groups: groups.view(),
    networks: networkLists,
    textBytes: texts.bytes.subarray(0, texts.starts[texts.count]),
    textStarts: texts.starts.subarray(0, texts.count + 1),
  }
  await writeFile(path, serialize(saved), { flag: 'wx' })
}

export async function readGroups(path: string): Promise<StoredGroups> {
  const { npis, tins, groups, networks, textBytes, textStarts }: SavedGroups = deserialize(await readFile(path))
  const store = new StoredGroups()
  store.texts.addAll(textBytes, textStarts)
  store.networkLists.push(...networks)
  store.npis.restore(npis)
  store.tins.restore(tins)
  store.groups.restore(groups)
  return store
}
