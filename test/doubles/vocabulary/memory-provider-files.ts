import { findByWords } from '../../../core/vocabulary/find-providers-by-words.ts'
import type { Provider, ProviderFiles } from '../../../core/vocabulary/ports.ts'

/** Keeps the providers of one month in memory, and looks at all of them for each query. */
export function createMemoryProviderFiles(providers: readonly Provider[]): ProviderFiles {
  const placed = providers.filter(({ state, zip }) => state !== null || zip !== null).toSorted(comparePositions)
  return {
    findByNpi: async (_, npi) => ({ providers: providers.filter((provider) => provider.npi === npi) }),
    findByArea: (_, { state, zip, taxonomy, q, limit }) =>
      findByWords(q, async (isName) => {
        const matching = placed.filter(
          (provider) =>
            (state === undefined || provider.state === state) &&
            (zip === undefined || provider.zip === zip) &&
            (taxonomy === undefined || provider.taxonomy === taxonomy) &&
            isName(provider.name ?? ''),
        )
        return {
          providers: matching.slice(0, limit),
          ...(matching.length > limit && { stoppedBy: 'limit' }),
        }
      }),
  }
}

/** Compares by state, ZIP code, name and NPI; what is missing comes last. */
function comparePositions(one: Provider, other: Provider): number {
  const keysOf = ({ state, zip, name, npi }: Provider) => [state, zip, name, String(npi)]
  const otherKeys = keysOf(other)
  for (const [index, key] of keysOf(one).entries()) {
    const otherKey = otherKeys[index] ?? null
    if (key === otherKey) continue
    if (key === null || otherKey === null) return key === null ? 1 : -1
    return Buffer.compare(Buffer.from(key), Buffer.from(otherKey))
  }
  return 0
}
