import { findNameFault, normaliseName } from '../../contract/texts/names.ts'

/**
 * Facts that payers publish of a plan beside its name and ids, by which people recognise it. Each is a list, because a
 * fee schedule may cover several plans. Sources: CMS schemas 1.x and 2.x, `plan_sponsor_name`, `plan_market_type` and
 * `issuer_name` of tables of contents and of in-network files, `network_name` of `provider_references`.
 */
export type PlanFacts = Readonly<Partial<Record<FactName, readonly string[]>>>

export type FactName = (typeof factNames)[number]

/** `productTypes` and networks of a whole file are announced for schema 3.0, whose fields are not published yet. */
export const factNames = ['sponsors', 'markets', 'issuers', 'networks', 'productTypes'] as const

/** Maximum number of values of a fact in an entry. A plan's name may have more; its variants have all of them. */
export const maxFacts = 20

/** Reads the published facts of one plan. A value that no request could name, such as a text of 10 MB, is left out. */
export function readFacts(published: Readonly<Partial<Record<FactName, readonly (string | undefined)[]>>>): PlanFacts {
  const valuesOf = (name: FactName) =>
    (published[name] ?? []).flatMap((text) => {
      if (text === undefined || text.length > maxPublished || findNameFault(text) !== undefined) return []
      return name === 'markets' ? normaliseName(text).toLowerCase() : normaliseName(text)
    })
  return gather(valuesOf)
}

/** Longest published value that is read, in UTF-16 code units: a name of 200 characters with more is white space. */
const maxPublished = 1000

/** Unites the facts of several plans. */
export function uniteFacts(all: readonly (PlanFacts | undefined)[]): PlanFacts {
  return gather((name) => all.flatMap((facts) => facts?.[name] ?? []))
}

/** Sorted and distinct, so that equal facts are equal texts; empty lists are left out. */
function gather(valuesOf: (name: FactName) => readonly string[]): PlanFacts {
  const lists = factNames.map((name) => [name, [...new Set(valuesOf(name))].sort().slice(0, maxFacts)] as const)
  return Object.fromEntries(lists.filter(([, values]) => values.length > 0))
}

export const isSameFacts = (one: PlanFacts | undefined, other: PlanFacts | undefined): boolean =>
  JSON.stringify(one ?? {}) === JSON.stringify(other ?? {})
