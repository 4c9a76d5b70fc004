import { hash } from 'node:crypto'

/** A name that files write for a billing code. */
export interface CodeName {
  /** In upper case. */
  readonly type: string
  /** In the canonical form of its type. */
  readonly code: string
  readonly name: string
}

/** Names of a payer's codes, or a piece of a long list of them. Never changed. */
export interface NameList {
  readonly payerKey: string
  readonly id: string
  /** The sources whose names are in it, or were stored for the payer before it. */
  readonly sourceIds: readonly string[]
  readonly names: readonly CodeName[]
  /** Absent if version 0.3 wrote it, by the name of the publisher. */
  readonly createdAt?: Date | undefined
}

/** Returns a short key of a payer, by its name in the catalogue; version 0.3 made that of a publisher likewise. */
export const payerKeyOf = (payer: string): string => hash('sha256', payer, 'base64url').slice(0, 8)

/** Returns a text that only equal names have. No part has a control character. */
export const textOfName = ({ type, code, name }: CodeName): string => `${type}\t${code}\t${name}`
