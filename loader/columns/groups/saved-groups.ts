import { readFile, writeFile } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { StoredGroups } from './stored-groups.ts'

const describe = ({ npis, tins, groups, networkLists, texts }: StoredGroups) => ({
  npis: npis.view(),
  tins: tins.view(),
  groups: groups.view(),
  networkLists,
  textBytes: texts.bytes.subarray(0, texts.starts[texts.count]),
  textStarts: texts.starts.subarray(0, texts.count + 1),
})

/** Writes groups to a new file. */
export async function saveGroups(path: string, store: StoredGroups): Promise<void> {
  await writeFile(path, serialize(describe(store)), { flag: 'wx' })
}

export async function readGroups(path: string): Promise<StoredGroups> {
  const saved: ReturnType<typeof describe> = deserialize(await readFile(path))
  const store = new StoredGroups()
  store.texts.addAll(saved.textBytes, saved.textStarts)
  store.networkLists.push(...saved.networkLists)
  store.npis.restore(saved.npis)
  store.tins.restore(saved.tins)
  store.groups.restore(saved.groups)
  return store
}
