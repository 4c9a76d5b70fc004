import { readCatalogEncryption } from '../../adapters/glue-catalog.ts'
import type { Stage } from '../../lib/stage/stage.ts'

/**
 * Says in one line which setting a stage lacks to search over the Glue Data Catalog of the account; no line if it lacks
 * none. Athena reads the catalog, and so uses its key, with the rights of the role that starts a query. Source:
 * Athena user guide, "Configure access from Athena to encrypted metadata in the AWS Glue Data Catalog".
 */
export async function describeCatalog(
  { catalogKeyArn }: Pick<Stage, 'catalogKeyArn'>,
  read = readCatalogEncryption,
): Promise<readonly string[]> {
  const encryption = await read()
  if (encryption === undefined)
    return [
      'the encryption of the Glue Data Catalog is unknown (glue:GetDataCatalogEncryptionSettings); with a key of its own, the stage needs catalogKeyArn',
    ]
  const { mode, key } = encryption
  // A service role uses the key for all callers, and the key of AWS for Glue is open to all identities of the account.
  if (mode !== 'SSE-KMS' || key === undefined || /(^|:)alias\/aws\/glue$/.test(key)) return []
  const isAlias = /(^|:)alias\//.test(key)
  if (catalogKeyArn !== undefined && (isAlias || catalogKeyArn === key || catalogKeyArn.endsWith(`:key/${key}`)))
    return []
  const state = catalogKeyArn === undefined ? 'the stage has no catalogKeyArn' : `catalogKeyArn is ${catalogKeyArn}`
  const arn = /^arn:[^/]*:key\//.test(key)
    ? `"${key}"`
    : `what aws kms describe-key --key-id ${key} --query KeyMetadata.Arn prints`
  return [
    `the Glue Data Catalog is encrypted with the key ${key}, and ${state}, so that every search fails as internal: set "catalogKeyArn" in the stage file to ${arn}`,
  ]
}
