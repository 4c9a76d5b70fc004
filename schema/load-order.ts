import * as v from 'valibot'
import { listFaults } from './list-faults.ts'

/**
 * The order for a load by many workers: the options of `npm run load`, except options that only one machine can know.
 * Stored with the load, and given by a schedule. Addresses may be signed, so an order is never logged.
 */

const httpsAddress = v.pipe(
  v.string('must be the URL of a file'),
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be the URL of a file'),
)

const shareRule = 'must be a number from 0 to 1'

const share = v.pipe(v.number(shareRule), v.minValue(0, shareRule), v.maxValue(1, shareRule))

/** The most seconds of processor time for a megabyte that can be allowed: as good as no limit. */
export const mostCpu = 1_000_000

const cpuRule = `must be a number from 1 to ${mostCpu}`

const flag = v.boolean('must be true or false')

/** Connections to a host at a time: more would be taken for an attack. */
export const maxConnections = 32

const connectionsRule = `must be a whole number from 1 to ${maxConnections}`

const connections = v.pipe(
  v.number(connectionsRule),
  v.integer(connectionsRule),
  v.minValue(1, connectionsRule),
  v.maxValue(maxConnections, connectionsRule),
)

/** Form of the name by which hosts know a load, and the same in words. */
export const userAgentForm = /^[\x20-\x7e]{1,200}$/
export const userAgentRule = 'must be 1 to 200 printable ASCII characters'

const name = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'))

export const loadOrder = v.pipe(
  v.strictObject({
    /** The URL of a table of contents. */
    toc: v.exactOptional(httpsAddress),
    /** The URLs of in-network files, if there is no table of contents. */
    files: v.exactOptional(v.array(httpsAddress), []),
    /** The names that the operator gives; they replace the names in the files. */
    payer: v.exactOptional(name),
    plan: v.exactOptional(name),
    /** Keeps the active files, except for files that are replaced by a file of the same identity. */
    add: v.exactOptional(flag),
    /** Switches a fee schedule without the files that are missing or refused, and marks it partial. */
    partial: v.exactOptional(flag),
    /** Lets a fee schedule shrink by more than `maxShrink`. */
    replace: v.exactOptional(flag),
    /** Switches a fee schedule even if its files were last updated before those that are active. */
    allowOlder: v.exactOptional(flag),
    /** Keeps plans active that the table of contents no longer lists. */
    keepMissing: v.exactOptional(flag),
    /** Refuses a file at the first value that would be skipped. */
    strict: v.exactOptional(flag),
    /** The major version as which newer schemas are read; absent: files of a newer schema are refused. */
    assumeVersion: v.exactOptional(v.literal(2, 'must be 2')),
    /** Repairs faults of JSON that have one cure; absent: they refuse their file. */
    repair: v.exactOptional(flag),
    /** Leaves out names and descriptions of items, because they may be somebody's property. */
    withoutDescriptions: v.exactOptional(flag),
    /** Largest share of rates, codes or NPIs that a fee schedule may lose; of its plans, for a table of contents. */
    maxShrink: v.exactOptional(share),
    /** The largest share of the plans that may be left out; 1 if absent. */
    maxFailed: v.exactOptional(share),
    /** The largest share of a file's prices that may be skipped; 1 % if absent. */
    maxSkipped: v.exactOptional(share),
    /** Seconds of processor time that a file may take for each megabyte of its JSON text; 10 if absent. */
    maxCpu: v.exactOptional(v.pipe(v.number(cpuRule), v.minValue(1, cpuRule), v.maxValue(mostCpu, cpuRule))),
    /** A filter that was stored before. */
    filterId: v.exactOptional(name),
    userAgent: v.exactOptional(v.pipe(name, v.regex(userAgentForm, userAgentRule))),
    /** Files that each worker fetches from a host at a time: one file, and the files that it refers to. */
    connections: v.exactOptional(connections),
    /** Allows files from private networks, and by http from this machine. */
    allowPrivateAddresses: v.exactOptional(flag),
  }),
  v.check(
    ({ toc, files }) => (toc === undefined) !== (files.length === 0),
    'must have either toc, or files with at least one URL',
  ),
  v.check(
    ({ add, replace }) => !(add && replace),
    'may have add or replace, not both: add keeps files that replace would drop',
  ),
  v.check(({ toc, keepMissing }) => !(keepMissing && toc === undefined), 'may have keepMissing only with toc'),
)

export const orderNames = Object.keys(loadOrder.entries)

export type LoadOrder = v.InferOutput<typeof loadOrder>

/** @returns the order, or what is wrong with it */
export function checkLoadOrder(value: unknown): LoadOrder | { readonly faults: readonly string[] } {
  const parsed = v.safeParse(loadOrder, value)
  if (parsed.success) return parsed.output
  return { faults: listFaults(parsed.issues, 'the order') }
}
