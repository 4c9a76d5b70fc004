import type { GroupStore } from '../inline-groups/group-store.ts'
import { noText } from '../parquet/text-pool.ts'
import type { ReferenceTin } from './reference-groups.ts'

/** The union of definitions: each TIN of each list of networks once, with all of its NPIs. */
export class MergedTins {
  readonly #tins = new Map<string, ReferenceTin & { readonly npis: number[] }>()

  /** Adds the TINs of a group. */
  take(store: GroupStore, group: number): void {
    const { texts, types, values, names } = store
    for (let tin = store.firstTin(group); tin < store.firstTin(group + 1); tin++) {
      const [type, value] = [texts.at(types.items[tin] ?? 0), texts.at(values.items[tin] ?? 0)]
      const name = names.items[tin] ?? noText
      const businessName = name === noText ? undefined : texts.at(name)
      const networks = store.networkLists[store.networks.items[tin] ?? 0] ?? { names: null, isKept: true }
      const key = JSON.stringify([type, value, businessName ?? null, networks])
      const known = this.#tins.get(key) ?? { type, value, businessName, networks, npis: [] }
      this.#tins.set(key, known)
      for (let member = store.firstMember(tin); member < store.firstMember(tin + 1); member++)
        known.npis.push(store.npis.items[member] ?? 0)
    }
  }

  list(): readonly ReferenceTin[] {
    return [...this.#tins.values()]
  }
}
