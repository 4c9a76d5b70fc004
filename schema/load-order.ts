import * as v from 'valibot'

/**
 * What a load of many workers does: the options of `npm run load` without those that only one machine can know. Stored
 * with the load, and given by a schedule. Addresses may be signed, so an order is never logged.
 */

const httpsAddress = v.pipe(
  v.string(),
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be the URL of a file'),
)

const share = v.pipe(
  v.number('must be a number from 0 to 1'),
  v.minValue(0, 'must be a number from 0 to 1'),
  v.maxValue(1, 'must be a number from 0 to 1'),
)

const name = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'))

export const loadOrder = v.pipe(
  v.strictObject({
    /** The URL of a table of contents. */
    toc: v.exactOptional(httpsAddress),
    /** The URLs of in-network files, if there is no table of contents. */
    files: v.exactOptional(v.array(httpsAddress), []),
    payer: v.exactOptional(name),
    plan: v.exactOptional(name),
    add: v.exactOptional(v.boolean()),
    partial: v.exactOptional(v.boolean()),
    replace: v.exactOptional(v.boolean()),
    keepMissing: v.exactOptional(v.boolean()),
    strict: v.exactOptional(v.boolean()),
    maxShrink: v.exactOptional(share),
    maxFailed: v.exactOptional(share),
    maxSkipped: v.exactOptional(share),
    /** A filter that was stored before. */
    filterId: v.exactOptional(name),
    userAgent: v.exactOptional(v.pipe(v.string(), v.regex(/^[\x20-\x7e]{1,200}$/, 'must be printable ASCII'))),
    /** How many files each worker fetches from a host at a time: one file, and those that it refers to. */
    connections: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(32))),
    /** Whether files are fetched from private networks, and by http from this machine. */
    allowPrivateAddresses: v.exactOptional(v.boolean()),
  }),
  v.check(
    ({ toc, files }) => (toc === undefined) !== (files.length === 0),
    'must have either toc, or files with at least one URL',
  ),
)

export type LoadOrder = v.InferOutput<typeof loadOrder>
