import { Findings } from '../findings.ts'
import {
  byte,
  isAt,
  isDelimiter,
  odd,
  passDigits,
  passName,
  passPlainString,
  readDigits,
  readEach,
  short,
} from '../json/byte-scan.ts'
import { PublishedObject } from '../published-object.ts'
import { FieldValues } from './field-values.ts'
import type { GroupReader } from './group-reader.ts'

const names = {
  id: Buffer.from('"provider_group_id"'),
  groups: Buffer.from('"provider_groups"'),
  networks: Buffer.from('"network_name"'),
}

/** Gives ids of references their numbers: the same exactly for ids with the same characters. */
export interface IdNumbers {
  numberOfNatural(id: number): number
  readonly texts: { addBytes(source: Uint8Array, start: number, end: number): number }
}

/**
 * Reads elements of `provider_references` from their bytes. A reference is odd, and must be read the ordinary way, unless it
 * has an id without an exponent, provider groups in the file, names of networks or none, and nothing else.
 */
export class ReferenceReader {
  /** The number of the id that was read last. */
  id = 0
  /** The names of its networks: the same array for the same bytes, as long as these are remembered. */
  networkName: readonly string[] = none
  readonly groups: GroupReader
  readonly #ids: IdNumbers
  readonly #networkNames: (readonly string[])[] = []
  #networks = this.#learnNetworks()
  #hasId = false
  #hasGroups = false
  #hasNetworks = false

  constructor(groups: GroupReader, ids: IdNumbers) {
    this.groups = groups
    this.#ids = ids
  }

  /** @returns the position after the reference, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    this.#hasId = false
    this.#hasGroups = false
    this.#hasNetworks = false
    this.networkName = none
    const after = readEach(bytes, start, end, byte.braceOpen, this.#readField)
    return after < 0 || (this.#hasId && this.#hasGroups) ? after : odd
  }

  readonly #readField = (bytes: Buffer, start: number, end: number): number => {
    const value = passName(bytes, start, end)
    if (value < 0) return value
    if (isAt(bytes, start, names.groups) && !this.#hasGroups) {
      this.#hasGroups = true
      return this.groups.read(bytes, value, end)
    }
    if (isAt(bytes, start, names.id) && !this.#hasId) {
      this.#hasId = true
      return this.#readId(bytes, value, end)
    }
    if (!isAt(bytes, start, names.networks) || this.#hasNetworks) return odd
    this.#hasNetworks = true
    if (this.#networkNames.length === maxNetworks) this.#networks = this.#learnNetworks()
    const after = this.#networks.read(bytes, value, end)
    if (after > 0) this.networkName = this.#networkNames[this.#networks.number] ?? none
    return after
  }

  #learnNetworks(): FieldValues {
    this.#networkNames.length = 0
    return new FieldValues((value) => {
      const names = Array.isArray(value) ? readNames(value) : undefined
      return names && this.#networkNames.push(names) - 1
    })
  }

  #readId(bytes: Buffer, start: number, end: number): number {
    const after = passId(bytes, start, end)
    if (after > 0) this.id = readIdNumber(bytes, start, after, this.#ids)
    return after
  }
}

/** Lists of networks that are remembered. When there are more, all are forgotten. */
const maxNetworks = 10_000

const none: readonly string[] = []

/** Reads names the ordinary way; undefined if that counts a finding. */
function readNames(value: unknown): readonly string[] | undefined {
  const findings = new Findings()
  const names = PublishedObject.read({ network_name: value }, { file: '' }, findings)?.texts('network_name')
  return findings.list().length > 0 ? undefined : names
}

/** Passes an id: a number without a sign and an exponent, or a text of printable ASCII characters. */
export function passId(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== byte.quote) return passDecimal(bytes, start, end)
  const after = passPlainString(bytes, start, end)
  return after === start + 2 ? odd : after
}

/** Digits of a natural number that is exact as a float. */
const maxDigits = 15

/** The number of an id that `passId` passed. */
export function readIdNumber(bytes: Buffer, start: number, stop: number, ids: IdNumbers): number {
  if (bytes[start] === byte.quote) return ids.texts.addBytes(bytes, start + 1, stop - 1)
  const isNatural = stop - start <= maxDigits && passDigits(bytes, start, stop) === stop
  return isNatural ? ids.numberOfNatural(readDigits(bytes, start, stop)) : ids.texts.addBytes(bytes, start, stop)
}

function passDecimal(bytes: Buffer, start: number, end: number): number {
  const point = passDigits(bytes, start, end)
  const isWhole = bytes[point] !== byte.point
  const after = isWhole ? point : passDigits(bytes, point + 1, end)
  if (after >= end) return short
  const isNumber =
    point > start && (point === start + 1 || bytes[start] !== byte.zero) && (isWhole || after > point + 1)
  const next = bytes[after] ?? 0
  return isNumber && isDelimiter(next) ? after : odd
}
