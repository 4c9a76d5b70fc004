import type { Source } from '../../core/catalogue/content.ts'
import { readPlanId } from '../../core/catalogue/plan-id.ts'
import type { LoadedPlan, PlanChanges } from '../../loader/publish/catalogue/plan-changes.ts'

export const payer = 'Harbor Health'

/** How the plans of a month and their files are related. */
export interface Shape {
  readonly about: string
  readonly files: number
  /** Which plan the `index`th of them is. */
  readonly planOf: (index: number) => string
  /** Which files it reads; plans of one table of contents' entry share the list. */
  readonly filesOf: (index: number) => readonly number[]
}

const all = (count: number) => Array.from({ length: count }, (_, index) => index)
const metals = ['Bronze', 'Silver', 'Gold', 'Platinum']
const twenty = all(20)
const sets = Array.from({ length: 1000 }, (_, set) => [...twenty.slice(0, 10), 20 + set])

/** What payers publish: names of employers, one name for many employers, and employers with files of their own. */
export const shapes: Readonly<Record<string, Shape>> = {
  names: {
    about: 'plans with a name each, all of the same 20 files',
    files: 20,
    planOf: (index) => `Plan ${index}`,
    filesOf: () => twenty,
  },
  ids: {
    about: 'plan ids of one name, all of the same 20 files',
    files: 20,
    planOf: () => 'Choice',
    filesOf: () => twenty,
  },
  employers: {
    about: 'plan ids, three of each name, with a sponsor each, all of the same 20 files',
    files: 20,
    planOf: (index) => `${metals[Math.floor(index / 3) % 4]} PPO ${Math.floor(index / 3)}`,
    filesOf: () => twenty,
  },
  sets: {
    about: 'plans with a name each and 11 files, in 1,000 different sets',
    files: 20 + sets.length,
    planOf: (index) => `Plan ${index}`,
    filesOf: (index) => sets[index % sets.length] ?? [],
  },
}

/** One plan of many files. */
export function describeFiles(files: number): Shape {
  const list = all(files)
  return { about: `one plan of ${files} files`, files, planOf: () => 'Choice', filesOf: () => list }
}

/** A month's changes after its files have been read. */
export function describeMonth({ files, planOf, filesOf }: Shape, plans: number, month: string): PlanChanges {
  const sources = Array.from({ length: files }, (_, index) => newSource(`${month}f${index}`, month))
  const lists = new Map<readonly number[], readonly string[]>()
  const listed = (list: readonly number[]) => {
    const ids = lists.get(list) ?? list.flatMap((index) => sources[index]?.sourceId ?? [])
    lists.set(list, ids)
    return ids
  }
  const loaded = Array.from(
    { length: plans },
    (_, index): LoadedPlan => ({
      payer,
      plan: planOf(index),
      planId: readPlanId(String(index).padStart(9, '0'), 'EIN'),
      sourceIds: listed(filesOf(index)),
      partial: false,
      origin: 'harbor',
      facts: { sponsors: [sponsorOf(index)], markets: ['group'], issuers: [payer], networks: ['Harbor PPO Network'] },
    }),
  )
  return { loadId: month, plans: loaded, sources: new Map(sources.map((source) => [source.sourceId, source])) }
}

/** Names as employers have them, which share few words. */
const sponsorOf = (index: number) =>
  `${['Acme', 'Northern', 'Summit', 'Lakeside'][index % 4]} ${index.toString(36)} ${trades[index % trades.length]} Inc.`

const trades = ['Foods', 'Motors', 'Schools', 'Logistics', 'Brewing', 'Hospitals', 'Steel']

function newSource(sourceId: string, loadId: string): Source {
  return {
    loadId,
    sourceId,
    identity: sourceId,
    name: `${sourceId}.json.gz`,
    contentHash: sourceId,
    bytes: 1,
    tableBytes: 1,
    tableFiles: 1,
    loaderVersion: '1',
    references: [],
    reportingEntityName: payer,
    names: {},
    partial: false,
    prices: 1,
    skipped: 0,
    rates: 1,
    codes: 1,
    npis: 1,
    findings: {},
  }
}
