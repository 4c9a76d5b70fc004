import type { Source } from '../catalogue/content.ts'
import type { Clock } from '../time.ts'
import { type CodeName, payerKeyOf, textOfName } from './code-names.ts'
import type { CodeNamesAdmin } from './ports.ts'

/** The sources of a plan, for the names of its payer's codes. */
interface PayerSources {
  readonly payer: string
  readonly sources: readonly NamedSource[]
}

/** The fields of a source by which its names are found. */
export type NamedSource = Pick<Source, 'sourceId' | 'reportingEntityName' | 'withoutDescriptions'>

/** Keeps the names that payers' files write for codes; for loads and the commands of operators. */
export interface CodeNameWriter {
  /** Stores the names of a source. Nobody finds them before `publish`. Safe to call concurrently, and again. */
  add(sourceId: string, names: readonly CodeName[]): Promise<void>
  /** Lets people find the names of sources, before searches read them. */
  publish(plans: readonly PayerSources[]): Promise<void>
  /**
   * Removes names that no source of these has, and gathers those of each payer in one list.
   *
   * @param plans all that searches can read or a rollback can bring back
   * @param before the time before which lists of loads that have not switched yet cannot be
   */
  clean(plans: readonly PayerSources[], before: Date): Promise<void>
  /** Removes all names, of all payers. */
  remove(): Promise<void>
}

/**
 * Maximum number of names that are stored for a payer; an honest one has some ten thousand. Further names are not
 * stored.
 */
export const maxNamesOfPayer = 200_000

/** Opens a writer that holds the names of one payer at a time, however many a load has. */
export function openCodeNameWriter(codeNames: CodeNamesAdmin, newId: () => string, now: Clock): CodeNameWriter {
  const store: Store = {
    codeNames,
    addList: (payerKey, sourceIds, names) =>
      codeNames.addList({ payerKey, id: newId(), sourceIds, names, createdAt: now() }),
  }
  return {
    add: async (sourceId, names) => {
      if (names.length > 0) await codeNames.writeSourceNames(sourceId, names)
    },

    publish: async (plans) => {
      let isChanged = false
      for (const [payerKey, sources] of gatherByPayer(plans))
        if (await publishPayer(payerKey, sources, store)) isChanged = true
      if (isChanged) await codeNames.writeVersion(newId())
    },

    clean: async (plans, before) => {
      const sourcesOf = gatherByPayer(plans)
      const lists = await convertLists(codeNames)
      let isChanged = false
      for (const payerKey of new Set([...lists.keys(), ...sourcesOf.keys()])) {
        const payer = { payerKey, sources: sourcesOf.get(payerKey) ?? [], lists: lists.get(payerKey) ?? [] }
        if (await cleanPayer(payer, before, store)) isChanged = true
      }
      if (isChanged) await codeNames.writeVersion(newId())
    },

    remove: async () => {
      await codeNames.removeAll()
      await codeNames.writeVersion(newId())
    },
  }
}

interface Store {
  readonly codeNames: CodeNamesAdmin
  addList(payerKey: string, sourceIds: readonly string[], names: readonly CodeName[]): Promise<void>
}

/**
 * Adds the names of sources that no list of the payer covers.
 *
 * @returns true if a list was added
 */
async function publishPayer(
  payerKey: string,
  sources: readonly NamedSource[],
  { codeNames, addList }: Store,
): Promise<boolean> {
  const coveredIds = new Set<string>()
  const storedNames = new Set<string>()
  for await (const list of codeNames.readLists(payerKey)) {
    for (const sourceId of list.sourceIds) coveredIds.add(sourceId)
    for (const name of list.names) storedNames.add(textOfName(name))
  }
  const newNames: CodeName[] = []
  const newIds: string[] = []
  for (const { sourceId, withoutDescriptions } of sources) {
    if (coveredIds.has(sourceId) || withoutDescriptions === true) continue
    const names = await codeNames.readSourceNames(sourceId)
    if (names === undefined) continue
    newIds.push(sourceId)
    for (const name of names) {
      const text = textOfName(name)
      if (storedNames.has(text) || storedNames.size >= maxNamesOfPayer) continue
      storedNames.add(text)
      newNames.push(name)
    }
  }
  if (newIds.length > 0) await addList(payerKey, newIds, newNames)
  return newIds.length > 0
}

interface StoredPayer {
  readonly payerKey: string
  readonly sources: readonly NamedSource[]
  readonly lists: readonly StoredList[]
}

/** @returns true if lists of the payer have changed */
async function cleanPayer(
  { payerKey, sources, lists }: StoredPayer,
  before: Date,
  { codeNames, addList }: Store,
): Promise<boolean> {
  const [onlyList] = lists.length === 1 ? lists : []
  const sourceIds = new Set(sources.map(({ sourceId }) => sourceId))
  if (onlyList?.createdAt !== undefined && sourceIds.symmetricDifference(onlyList.sourceIds).size === 0) return false
  const oldLists = lists.filter(({ createdAt }) => createdAt === undefined || createdAt < before)
  const names = await gatherNames(sources, codeNames)
  // Written before the others are removed, so that a kill leaves names twice, and none out.
  if (names.length > 0) await addList(payerKey, [...sourceIds], names)
  for (const { id } of oldLists) await codeNames.removeList(payerKey, id)
  return names.length > 0 || oldLists.length > 0
}

/** Gathers the names of sources, each once. Sources of version 0.3 share the names of their publisher. */
async function gatherNames(sources: readonly NamedSource[], codeNames: CodeNamesAdmin): Promise<readonly CodeName[]> {
  const gathered = new Map<string, CodeName>()
  const publisherKeys = new Set<string>()
  const addNames = (names: readonly CodeName[]) => {
    for (const name of names) if (gathered.size < maxNamesOfPayer) gathered.set(textOfName(name), name)
  }
  for (const { sourceId, reportingEntityName, withoutDescriptions } of sources) {
    if (withoutDescriptions === true) continue
    const names = await codeNames.readSourceNames(sourceId)
    if (names === undefined) publisherKeys.add(payerKeyOf(reportingEntityName))
    else addNames(names)
  }
  for (const publisherKey of publisherKeys) addNames((await codeNames.readSourceNames(publisherKey)) ?? [])
  return [...gathered.values()]
}

function gatherByPayer(plans: readonly PayerSources[]): ReadonlyMap<string, readonly NamedSource[]> {
  const byPayer = Map.groupBy(plans, ({ payer }) => payerKeyOf(payer))
  return new Map(
    [...byPayer].map(([payerKey, ofPayer]) => {
      const sources = [...new Set(ofPayer.map(({ sources }) => sources))].flat()
      return [payerKey, [...new Map(sources.map((source) => [source.sourceId, source])).values()]]
    }),
  )
}

interface StoredList {
  readonly id: string
  readonly sourceIds: Set<string>
  readonly createdAt: Date | undefined
}

/**
 * Lists the lists of each payer, without their names. Those of version 0.3 are stored as if they were those of a source
 * first, under the key of their publisher, and its other items are removed.
 */
async function convertLists(codeNames: CodeNamesAdmin): Promise<ReadonlyMap<string, readonly StoredList[]>> {
  const lists = new Map<string, Map<string, StoredList>>()
  const formerNames = new Map<string, CodeName[]>()
  for await (const { payerKey, id, sourceIds, names, createdAt } of codeNames.readLists()) {
    const ofPayer = lists.get(payerKey) ?? new Map<string, StoredList>()
    const list = ofPayer.get(id) ?? { id, sourceIds: new Set(), createdAt }
    for (const sourceId of sourceIds) list.sourceIds.add(sourceId)
    lists.set(payerKey, ofPayer.set(id, list))
    if (createdAt === undefined) formerNames.set(payerKey, [...(formerNames.get(payerKey) ?? []), ...names])
  }
  for (const [publisherKey, names] of formerNames) await codeNames.writeSourceNames(publisherKey, names)
  if (formerNames.size > 0) await codeNames.removeFormerItems()
  return new Map([...lists].map(([payerKey, ofPayer]) => [payerKey, [...ofPayer.values()]]))
}
