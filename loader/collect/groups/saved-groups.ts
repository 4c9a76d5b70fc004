import { readFile, writeFile } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { TextList } from '../distinct/text-list.ts'
import { StoredGroups } from './stored-groups.ts'

const describe = ({ npis, tins, groups, networkLists, texts }: StoredGroups) => ({
  npis: npis.view(),
  tins: tins.view(),
  groups: groups.view(),
  networkLists,
  texts: texts.view(),
})

/** Writes groups to a new file. */
export async function saveGroups(path: string, store: StoredGroups): Promise<void> {
  await writeFile(path, serialize(describe(store)), { flag: 'wx' })
}

/** Reads groups from a file. None may be added to them. */
export async function readGroups(path: string): Promise<StoredGroups> {
  const saved: ReturnType<typeof describe> = deserialize(await readFile(path))
  const store = new StoredGroups(new TextList())
  store.texts.restore(saved.texts)
  store.networkLists.push(...saved.networkLists)
  store.npis.restore(saved.npis)
  store.tins.restore(saved.tins)
  store.groups.restore(saved.groups)
  return store
}
