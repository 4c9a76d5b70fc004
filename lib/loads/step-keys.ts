import type { LoadStep } from '../../schema/load-step.ts'
import { contentsKey } from '../../schema/tables.ts'

/** Partition keys under which every step records the progress of a load. */
const progressKeys = [
  contentsKey.loadOrder('*').owner,
  contentsKey.openFile('*', '').owner,
  contentsKey.fileOutcome('*', '').owner,
  contentsKey.loadRecord('').owner,
  contentsKey.pinned('', '').owner,
] as const

/**
 * Partition keys of the table of contents to which the steps write that parse what strangers publish, as patterns of
 * IAM. They can change neither the contents that searches read, nor the index of words, nor the months of NPPES.
 */
export const writableKeys = {
  plan: progressKeys,
  work: [...progressKeys, contentsKey.source('*').owner, contentsKey.latestSource('*').owner],
} as const satisfies Readonly<Partial<Record<LoadStep, readonly string[]>>>
