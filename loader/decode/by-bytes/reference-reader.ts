import { Findings } from '../findings.ts'
import { byte, isAt, odd, passDigits, passName, passPlainString, readEach, short } from '../json/byte-scan.ts'
import { PublishedObject } from '../published-object.ts'
import type { GroupReader } from './group-reader.ts'
import { parseSlice } from './parse-slice.ts'

const names = {
  id: Buffer.from('"provider_group_id"'),
  groups: Buffer.from('"provider_groups"'),
  networks: Buffer.from('"network_name"'),
}

/**
 * Reads elements of `provider_references` from their bytes. A reference is odd, and must be read the ordinary way, unless it
 * has an id without an exponent, provider groups in the file, names of networks or none, and nothing else.
 */
export class ReferenceReader {
  /** Where the characters of the id are that was read last. */
  idStart = 0
  idEnd = 0
  /** The names of its networks: the same array as before if their bytes are the same. */
  networkName: readonly string[] = none
  readonly groups: GroupReader
  #known: { readonly bytes: Buffer; readonly names: readonly string[] } | undefined
  #hasId = false
  #hasGroups = false
  #hasNetworks = false

  constructor(groups: GroupReader) {
    this.groups = groups
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
    return this.#readNetworks(bytes, value, end)
  }

  /** Consecutive references have the same networks. */
  #readNetworks(bytes: Buffer, start: number, end: number): number {
    const known = this.#known
    if (known !== undefined && start + known.bytes.length <= end && isAt(bytes, start, known.bytes)) {
      this.networkName = known.names
      return start + known.bytes.length
    }
    const parsed = bytes[start] === byte.bracketOpen ? parseSlice(bytes, start, end) : odd
    if (typeof parsed === 'number') return parsed
    const names = readNames(parsed.value)
    if (names === undefined) return odd
    this.#known = { bytes: Buffer.from(bytes.subarray(start, parsed.end)), names }
    this.networkName = names
    return parsed.end
  }

  #readId(bytes: Buffer, start: number, end: number): number {
    const isText = bytes[start] === byte.quote
    const after = isText ? passPlainString(bytes, start, end) : passDecimal(bytes, start, end)
    this.idStart = isText ? start + 1 : start
    this.idEnd = isText ? after - 1 : after
    return after < 0 || this.idEnd > this.idStart ? after : odd
  }
}

const none: readonly string[] = []

/** Reads names the ordinary way; undefined if that counts a finding. */
function readNames(value: unknown): readonly string[] | undefined {
  const findings = new Findings()
  const names = PublishedObject.read({ network_name: value }, { file: '' }, findings)?.texts('network_name')
  return findings.list().length > 0 ? undefined : names
}

/** Passes a number without a sign and an exponent. */
function passDecimal(bytes: Buffer, start: number, end: number): number {
  const point = passDigits(bytes, start, end)
  const isWhole = bytes[point] !== byte.point
  const after = isWhole ? point : passDigits(bytes, point + 1, end)
  if (after >= end) return short
  const isNumber =
    point > start && (point === start + 1 || bytes[start] !== byte.zero) && (isWhole || after > point + 1)
  const next = bytes[after] ?? 0
  return isNumber && (next === byte.comma || next === byte.braceClose || next <= 0x20) ? after : odd
}
