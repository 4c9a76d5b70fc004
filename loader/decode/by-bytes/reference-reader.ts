import { at } from '../../../schema/at.ts'
import { Findings } from '../findings.ts'
import { byte, isAt, odd, passName, readEach } from '../json/byte-scan.ts'
import { createHashKey, type HashKey, type NewSeed } from '../keyed-hash.ts'
import { PublishedObject } from '../published-object.ts'
import { FieldValues } from './field-values.ts'
import type { GroupReader } from './group-reader.ts'
import { type IdNumbers, IdReader } from './id-reader.ts'

const names = {
  id: Buffer.from('"provider_group_id"'),
  groups: Buffer.from('"provider_groups"'),
  networks: Buffer.from('"network_name"'),
}

/**
 * Reads elements of `provider_references` from their bytes. A reference may have an id without an exponent, provider
 * groups in the file, and names of networks. Any other reference is odd, and is parsed instead.
 */
export class ReferenceReader {
  /** Reads ids; holds the id of the reference that was read last. */
  readonly id: IdReader
  /** Names of the last reference's networks: the same array for the same bytes, as long as these are remembered. */
  networkName: readonly string[] = none
  readonly groups: GroupReader
  readonly #networkNames: (readonly string[])[] = []
  readonly #hashKey: HashKey
  #networks: FieldValues
  #hasId = false
  #hasGroups = false
  #hasNetworks = false

  constructor(groups: GroupReader, ids: IdNumbers, newSeed: NewSeed) {
    this.groups = groups
    this.id = new IdReader(ids)
    this.#hashKey = createHashKey(newSeed)
    this.#networks = this.#learnNetworks()
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
      return this.id.read(bytes, value, end)
    }
    if (!isAt(bytes, start, names.networks) || this.#hasNetworks) return odd
    this.#hasNetworks = true
    if (this.#networkNames.length === maxNetworks) this.#networks = this.#learnNetworks()
    const after = this.#networks.read(bytes, value, end)
    if (after > 0) this.networkName = at(this.#networkNames, this.#networks.number)
    return after
  }

  #learnNetworks(): FieldValues {
    this.#networkNames.length = 0
    return new FieldValues((value) => {
      const names = Array.isArray(value) ? readNames(value) : undefined
      return names && this.#networkNames.push(names) - 1
    }, this.#hashKey)
  }
}

/** Maximum number of lists of networks that are remembered. Beyond it, all of them are forgotten. */
const maxNetworks = 10_000

const none: readonly string[] = []

/** Reads parsed names; undefined if one of them would be reported. */
function readNames(value: unknown): readonly string[] | undefined {
  const findings = new Findings()
  const names = PublishedObject.read({ network_name: value }, {}, findings)?.texts('network_name')
  return findings.list().length > 0 ? undefined : names
}
