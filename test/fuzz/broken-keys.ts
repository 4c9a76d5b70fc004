import fc from 'fast-check'

/** API keys that are truncated, extended, altered or forged. */

const strangeBytes = fc.constantFrom(
  ' ',
  '\t',
  '_',
  '.',
  '/',
  '%00',
  '\u00e9',
  '\u00ff',
  '\u00a0',
  '"',
  ',',
  '=',
  'İ',
  '0',
)

type Change = (key: string) => string

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(70), strangeBytes).map(
    ([at, text]): Change =>
      (key) =>
        key.slice(0, at) + text + key.slice(at + 1),
  ),
  fc.tuple(fc.nat(70), strangeBytes).map(
    ([at, text]): Change =>
      (key) =>
        key.slice(0, at) + text + key.slice(at),
  ),
  fc.nat(61).map(
    (length): Change =>
      (key) =>
        key.slice(0, length),
  ),
  fc.nat(61).map(
    (from): Change =>
      (key) =>
        key.slice(from + 1),
  ),
  fc.nat(61).map(
    (at): Change =>
      (key) =>
        key.slice(0, at) + swapCase(key.slice(at, at + 1)) + key.slice(at + 1),
  ),
  fc.nat(60).map(
    (at): Change =>
      (key) =>
        `${key.slice(0, at)}${key[at + 1] ?? ''}${key[at] ?? ''}${key.slice(at + 2)}`,
  ),
  fc.constantFrom<Change>(
    (key) => key.toUpperCase(),
    (key) => key.toLowerCase(),
    (key) => key + key,
    (key) => `${key} ${key}`,
    (key) => [...key].reverse().join(''),
    (key) => Buffer.from(key).toString('base64'),
  ),
  fc.integer({ min: 1, max: 7000 }).map(
    (length): Change =>
      (key) =>
        key + 'a'.repeat(length),
  ),
)

/** A key after one to three changes, which sometimes cancel each other out. */
export function brokenKey(key: string): fc.Arbitrary<string> {
  return fc
    .array(anyChange, { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce((it, change) => change(it), key))
}

/** A key without its checksum, combined from parts of other keys and random parts. */
export function closeToKey(keys: readonly string[]): fc.Arbitrary<string> {
  const part = (from: number, to: number) =>
    fc.oneof(
      { arbitrary: fc.constantFrom(...keys.map((key) => key.slice(from, to))), weight: 3 },
      fc.stringMatching(new RegExp(`^[0-9A-Za-z]{${to - from}}$`)),
    )
  const flipped = fc
    .tuple(fc.constantFrom(...keys), fc.integer({ min: 6, max: 55 }), fc.stringMatching(/^[0-9A-Za-z]$/))
    .map(([key, at, character]) => key.slice(0, at) + character + key.slice(at + 1, 56))
  const spliced = fc
    .tuple(part(6, 18), part(18, 26), part(26, 41), part(41, 56))
    .map((parts) => `rates_${parts.join('')}`)
  return fc.oneof(flipped, spliced)
}

function swapCase(character: string): string {
  return character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()
}
