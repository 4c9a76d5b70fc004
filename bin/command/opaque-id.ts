import { randomBytes } from 'node:crypto'

/** Returns a new opaque id of lower-case letters and digits. */
export const newOpaqueId = () => randomBytes(10).toString('hex')
