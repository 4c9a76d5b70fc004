import type { ReferenceReader } from './by-bytes/reference-reader.ts'
import type { ScannedRate, ScannedRates } from './by-bytes/scanned-rates.ts'
import type { Findings } from './findings.ts'
import type { InNetworkItem, NegotiatedRate, ProviderReference } from './in-network-file.ts'
import type { Place } from './json/json-object.ts'
import type { JsonStream } from './json/json-stream.ts'
import type { OpenGroup } from './provider-groups.ts'
import type { BillingCode } from './published-code.ts'

/** Receives the objects of an in-network file in file order. An unusable one is undefined. */
export interface InNetworkVisitor {
  /** Takes the groups of the next reference. */
  readonly groups: OpenGroup
  /** @param index of the reference in the file */
  reference(reference: ProviderReference | undefined, index: number): Promise<void> | void
  /** Whether items with this code are wanted; absent if all are. */
  readonly isWanted?: ((code: BillingCode) => boolean) | undefined
  /** Called before each item, and before each rate of one that is too long to be read at once. */
  makeRoom?(): Promise<void> | undefined
  /** @param index of the item in the file; its rates come before it or after it */
  item(item: InNetworkItem | undefined, index: number): void
  /**
   * @param item index of the rate's item in the file
   * @param index of the rate in the item
   */
  rate(rate: NegotiatedRate | undefined, item: number, index: number): void
  /** Whether a file that says nothing of a plan before its rates is refused. */
  readonly needsPlan?: boolean | undefined
  /** Whether a file of a newer schema version is read like those that are known; it is counted. */
  readonly assumesVersion?: boolean | undefined
  /** Called for an item that is not wanted, after its prices were skipped. */
  passItem(priceCount: number): void
  /** Takes rates that are read from their bytes; absent if all are to be parsed. */
  readonly scan?: ScanVisitor
}

/** Takes what differs from what `InNetworkVisitor` takes only in how it was read. */
export interface ScanVisitor {
  readonly rates: ScannedRates
  /** Reads references, with their groups into `InNetworkVisitor.groups`. */
  readonly references: ReferenceReader
  /** Called before each reference. */
  makeRoomForReferences(): Promise<void> | undefined
  /**
   * Takes the reference that was read last.
   *
   * @param bytes which it was read from
   * @param index of the reference in the file
   */
  reference(bytes: Buffer, index: number): void
  /**
   * @param rate of `rates`
   * @param at its place
   * @param item index of the rate's item in the file
   * @param index of the rate in the item
   */
  rate(rate: ScannedRate, at: Place, item: number, index: number): void
}

/** What is read, and where its findings are counted. */
export interface Reading {
  readonly stream: JsonStream
  readonly visitor: InNetworkVisitor
  readonly findings: Findings
}
