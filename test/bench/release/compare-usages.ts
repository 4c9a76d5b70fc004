import type { Usages } from './measure-version.ts'

/** Ratio of this version's processor time to the release's above which it is slower: less is noise. */
export const maxRatio = 1.15

/** Compares the lowest figures of all rounds: other work on the machine only ever adds time. */
export function compareUsages(
  release: readonly Usages[],
  present: readonly Usages[],
): readonly { what: string; release: number; present: number; ratio: number }[] {
  const [first] = release
  return [...(first?.keys() ?? [])].map((what) => {
    const [before, now] = [findLowest(release, what), findLowest(present, what)]
    return { what, release: before, present: now, ratio: Number((now / before).toFixed(2)) }
  })
}

function findLowest(rounds: readonly Usages[], what: string): number {
  const seconds = rounds.map((usages) => usages.get(what) ?? Number.NaN)
  return Math.min(...seconds)
}
