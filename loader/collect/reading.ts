import type { Findings } from '../decode/findings.ts'
import { odd } from '../decode/json/byte-scan.ts'
import type { ElementScan } from '../decode/json/byte-window.ts'
import type { JsonStream } from '../decode/json/json-stream.ts'
import type { PriceCollector } from './price-collector.ts'
import type { ProviderCollector } from './provider-collector.ts'

/** An in-network file that is being read, with the collectors of its objects. */
export interface Reading {
  readonly stream: JsonStream
  readonly findings: Findings
  readonly prices: PriceCollector
  readonly providers: ProviderCollector
  /** True to parse every object, and read none from its bytes. */
  readonly parsesAll?: boolean | undefined
  /** True to read a file of a newer schema version as if its version were known; it is counted. */
  readonly assumesVersion?: boolean | undefined
  /** Called before each item, and before each rate of an item that is too long to be read at once. */
  makeRoom(): Promise<void> | undefined
  /** Called before each reference, and again after a parsed one. */
  makeRoomForReferences(): Promise<void> | undefined
  /**
   * Reads the groups of a reference from another file.
   *
   * @param path JSON path of the reference
   * @returns false if the file is missing
   */
  follow(location: string, path: string): Promise<boolean>
}

/** Reads elements from their bytes, unless all are parsed. */
export const scanOf = ({ parsesAll }: Reading, scan: ElementScan): ElementScan =>
  parsesAll ? { ...scan, read: () => odd } : scan
