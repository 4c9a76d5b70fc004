import { findsAll, isAscii, keysOf, mayBeMistyped, splitWords } from '../words.ts'
import type { FoundProviders } from './ports.ts'

/** Finds the providers whose names match, or a part of them if a limit is reached. */
type FindNames = (isMatch: (name: string) => boolean) => Promise<FoundProviders>

/**
 * Finds providers by words: each begins a word of their name. If no name has some of the words, these may have a typing
 * error, so the names are looked at again, unless a limit ended the first look.
 *
 * @param q words @default - all names match
 */
export async function findByWords(q: string | undefined, find: FindNames): Promise<FoundProviders> {
  if (q === undefined) return find(() => true)
  const words = new Set(splitWords(q))
  const tests = testsOf(words, new Set())
  const unknown = new Set(words)
  const answer = await find((name) => {
    for (const [word, test] of tests) if (unknown.has(word) && test(name)) unknown.delete(word)
    return unknown.size === 0 && tests.every(([, test]) => test(name))
  })
  const mistyped = new Set<string>()
  for (const word of unknown) if (mayBeMistyped(word, mistyped)) mistyped.add(word)
  if (answer.stoppedBy !== undefined || mistyped.size === 0 || mistyped.size < unknown.size) return answer
  const forgivingTests = testsOf(words, mistyped)
  return find((name) => forgivingTests.every(([, test]) => test(name)))
}

/**
 * Returns a test of names for each word. A state has a million names, so names in ASCII, nearly all, are only split if
 * they have the letters of the word one after another, or those of a half if one letter may be wrong.
 */
function testsOf(words: ReadonlySet<string>, mistyped: ReadonlySet<string>) {
  return [...words].map((word) => {
    const half = Math.floor(word.length / 2)
    const parts = mistyped.has(word) ? [word.slice(0, half), word.slice(half + 1)] : [word]
    const letters = new RegExp(parts.map((part) => [...part].join('[^a-z0-9]*')).join('|'), 'i')
    const mayMatch = (name: string) => !isAscii.test(name) || (isAscii.test(word) && letters.test(name))
    const test = (name: string) => mayMatch(name) && findsAll([word], keysOf(name), mistyped)
    return [word, test] as const
  })
}
