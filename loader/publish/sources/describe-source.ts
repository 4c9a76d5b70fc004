import { foldWhiteSpace } from '../../../contract/texts/compose-text.ts'
import { readFacts, uniteFacts } from '../../../core/catalogue/plan-facts.ts'
import type { FileHeader } from '../../decode/in-network-file.ts'
import type { EncodedFile } from '../../write/encode-file.ts'

/** Maximum length of the references recorded for a source, which is one item of at most 400 KB (DynamoDB). */
const maxReferenceBytes = 200_000

/** Maximum length of a recorded text of a file's root; searchable names are shorter. */
const maxText = 1000

/** Describes a file as its source keeps it. */
export function describeSource(file: EncodedFile, entity = '') {
  const { etag, packedHash, header, lastUpdatedOn, findings, published: _prices, references, networks, ...rest } = file
  const { codeNames: _names, ...facts } = rest
  // Without a hash the file is read again, because its references may have changed.
  const isKnown = Buffer.byteLength(JSON.stringify(references)) <= maxReferenceBytes
  return {
    ...facts,
    etag: isKnown ? packedHash : undefined,
    publishedEtag: isKnown ? etag : undefined,
    references: isKnown ? references : [],
    ...describeHeader(header, entity, networks),
    ...describeDay(header.lastUpdatedOn, lastUpdatedOn),
    findings: Object.fromEntries(findings.map(({ rule, count }) => [rule, count])),
  }
}

/** Maximum length of a stated day that cannot be read. */
const maxDay = 40

/**
 * Describes the day of a file as its source keeps it.
 *
 * @param stated as published; undefined if the file states none
 * @param day as `YYYY-MM-DD`; undefined if it cannot be read
 */
export const describeDay = (stated: string | undefined, day: string | undefined) =>
  day === undefined && stated !== undefined
    ? { unreadableDay: stated.slice(0, maxDay).toWellFormed() }
    : { lastUpdatedOn: day }

/**
 * Describes the root of a file as its source keeps it.
 *
 * @param entity the publisher of a file that names none
 */
export function describeHeader(header: FileHeader, entity = '', networks: readonly string[] = []) {
  const { issuerName, planName, planId, planIdType, reportingEntityName } = header
  const names = { issuer: issuerName, plan: planName, planId, planIdType }
  return {
    names: Object.fromEntries(
      Object.entries(names).flatMap(([name, text]) => (text === undefined ? [] : [[name, text.slice(0, maxText)]])),
    ),
    facts: uniteFacts([header.facts, readFacts({ networks })]),
    reportingEntityName: foldWhiteSpace(reportingEntityName ?? issuerName ?? entity)
      .slice(0, maxText)
      .toWellFormed(),
  }
}
