import { FileFault, toOneLine } from '../../fetch/load-refused.ts'
import { type Occurrence, Occurrences } from '../../fetch/occurrences.ts'
import { many, maxListed } from '../../schema/summary/definition.ts'

/**
 * Values that a load could not use as published, or that carry less information than they should. They alone do not
 * refuse a file: among millions of prices a few are always wrong, and the operator needs the rest and a report of what
 * was lost. docs/publishers-values.md lists how each is handled.
 */
const lossRules = {
  'price-without-provider': 'prices skipped: no provider is named with them',
  'dangling-reference': 'references skipped: their provider group is not defined in the file, or has no provider',
  'unfit-item': 'items skipped: a required field is missing or has the wrong type',
  'unfit-rates': 'negotiated rates skipped: not an object with a list of prices',
  'unfit-price': 'prices skipped: not an object, or without a negotiated type',
  'unfit-rate': 'prices skipped: the rate is not a number that fits decimal(18,4)',
  'unfit-reference': 'provider references skipped: not an object with an id and provider groups',
  'unfit-group': 'provider groups skipped: not an object with a list of NPIs',
  'unfit-tin': 'provider groups skipped: the TIN is missing, or its type or value cannot be read',
  'unfit-npi': 'NPIs skipped: neither 0 nor ten digits',
  'unfit-code': 'codes of bundles and covered services skipped: a required field is missing or has the wrong type',
  'unreadable-value': 'values skipped: of another type than their field',
  'unreadable-date': 'dates read as NULL: missing, or not a day as YYYY-MM-DD or in another form with one meaning',
  'text-for-number': 'rates written as text, read as numbers',
  'number-for-text': 'codes, TINs and other texts written as numbers, read by their digits',
  'text-for-list': 'single texts or numbers in place of a list, read as lists of one',
  'not-utf8': 'parts of the file with bytes that are not UTF-8, read as U+FFFD',
} as const

/** Findings in which no value is lost or mistyped. They never refuse a strict load. */
const harmlessRules = {
  'missing-reference-file': 'references skipped: the file with their provider group is missing',
  'missing-file': 'provider references point to files that are missing',
  'packed-list': 'lists with several codes in one text, split',
  'missing-entity': 'files without reporting_entity_name: the name of the payer is used instead',
  utf16: 'files in UTF-16, read as UTF-8',
  'zip-in-zip': 'files packed once more within a zip archive',
  'zip-other': 'entries of a zip archive that are no rate files, not read',
  'trailing-comma': 'repaired: commas after the last value of an array or object',
  'stray-backslash': 'repaired: backslashes that escape nothing, read as themselves',
  'raw-character': 'repaired: tabs, line breaks and other control characters in texts, read as themselves',
  'odd-number':
    'repaired: numbers that JSON writes otherwise, such as .85, +1 or 5.; a code or an id with leading zeros is a text',
  'odd-word': 'repaired: words that JSON does not have, such as NaN, Infinity and None, read as null',
  padding: 'repaired: NUL or Ctrl-Z after the end, dropped',
  'unknown-field': 'fields that are not known, not read',
  'whole-tin': 'provider groups with an empty list of NPIs, read as the whole TIN (NPI 0)',
  'other-name': 'lists named provider_group_reference, read as provider_references',
  'name-beside': 'business names beside provider groups, read as those of their TINs without one',
  'assumed-version': 'files of a newer schema version, read as --assume-version says',
  'numeric-reference':
    'references matched by their number: their provider group is written with other characters, such as 1.0 for 1',
  'other-date': 'dates in another form than YYYY-MM-DD, read as the same day',
  'short-ein': 'EINs of provider groups with fewer than nine digits, read with their leading zeros',
  'repeated-reference': 'references counted once: the same price names them again',
  'many-places': `prices with more than ${maxListed} places of service: in summaries, their place is "${many}"`,
  'many-networks': `provider references with more than ${maxListed} networks: in summaries, their network is "${many}"`,
  'repeated-definition': 'provider groups defined again: they are the union of their definitions',
  'rounded-rate': 'rates rounded half to even to four decimals',
  'zero-rate': 'rates of zero, kept as published',
  'folded-value': 'values written with other case, spaces or hyphens, read as the schema lists them',
  'unknown-value': 'values that the schema does not list, kept as published',
} as const

/** The words in which each finding is reported. */
export const findingRules = { ...lossRules, ...harmlessRules }

export type FindingRule = keyof typeof findingRules

export const isFindingRule = (name: string): name is FindingRule => Object.hasOwn(findingRules, name)

/** A finding. Its examples are JSON paths; those of `missing-file` are addresses. */
export type Finding = Occurrence<FindingRule>

/** Numbers of a file's items, groups or NPIs that are published, and that were skipped. */
export interface UnitTally {
  published: number
  skipped: number
}

/** Maximum number of paths of unknown fields that are reported, and maximum length of each. */
const [maxPaths, maxPath] = [20, 200]

/** Counts the findings of one file. */
export class Findings {
  /** Tallies that `--max-skipped` limits besides prices: a file that loses all its NPIs has prices without rows. */
  readonly units = {
    items: { published: 0, skipped: 0 },
    groups: { published: 0, skipped: 0 },
    npis: { published: 0, skipped: 0 },
  } satisfies Record<string, UnitTally>
  readonly #occurrences = new Occurrences<FindingRule>()
  readonly #unknown = new Map<string, number>()
  readonly #isStrict: boolean

  /** @param isStrict true to refuse the file at the first value that is lost or has the wrong type */
  constructor(isStrict = false) {
    this.#isStrict = isStrict
  }

  /**
   * @param position object with the value; its path is only computed for examples
   * @throws FileFault if the load is strict and the rule is not harmless
   */
  count(rule: FindingRule, position: { readonly path: string }, field?: string, index?: number): void {
    this.#occurrences.note(rule, () => {
      const path = [position.path, field].filter(Boolean).join('.')
      return index === undefined ? path : `${path}[${index}]`
    })
    this.#refuseIfStrict(rule)
  }

  /** Counts an unknown field of an object with this path. Indexes in the path make no difference. */
  countUnknown(parent: string, name: string): void {
    const path = (parent === '' ? name : `${parent.replaceAll(/\[\d+\]/g, '[]')}.${name}`).slice(0, maxPath)
    const key = this.#unknown.has(path) || this.#unknown.size < maxPaths ? path : 'others'
    this.#unknown.set(key, (this.#unknown.get(key) ?? 0) + 1)
  }

  /** Adds findings that were counted elsewhere. */
  add(finding: Finding): void {
    this.#occurrences.add(finding)
    if (finding.count > 0) this.#refuseIfStrict(finding.rule)
  }

  /**
   * Returns the findings so far, in the order in which their rules first occurred. Each path of unknown fields counts
   * once.
   */
  list(): readonly Finding[] {
    const findings = this.#occurrences.list()
    if (this.#unknown.size === 0) return findings
    // Parsing reorders names that are numbers, so the paths are sorted.
    const sorted = [...this.#unknown].sort(([a], [b]) => (a < b ? -1 : 1))
    const examples = sorted.map(([path, count]) => toOneLine(count > 1 ? `${path} (${count} times)` : path))
    return [...findings, { rule: 'unknown-field', count: examples.length, examples }]
  }

  #refuseIfStrict(rule: FindingRule): void {
    if (!this.#isStrict || rule in harmlessRules) return
    const [example] = this.#occurrences.list().find((finding) => finding.rule === rule)?.examples ?? []
    throw new FileFault(`is refused (strict) for ${example}: ${findingRules[rule]}`)
  }
}
