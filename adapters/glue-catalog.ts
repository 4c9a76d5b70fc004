import { GetDataCatalogEncryptionSettingsCommand, GlueClient } from '@aws-sdk/client-glue'
import { commandRequests } from './request-limits.ts'

/** Encryption of the Glue Data Catalog of an account in a region. */
export interface CatalogEncryption {
  /** `DISABLED`, `SSE-KMS`, or `SSE-KMS-WITH-SERVICE-ROLE`, with which Glue itself may use the key. */
  readonly mode: string
  /** ARN, id or alias of the key. @default - the key of AWS for Glue, which all identities of the account may use */
  readonly key?: string
}

/** Returns the encryption of the catalog; undefined if it cannot be read, because no command should fail for that. */
export async function readCatalogEncryption(
  client = new GlueClient({ ...commandRequests, maxAttempts: 2 }),
): Promise<CatalogEncryption | undefined> {
  const answer = await client.send(new GetDataCatalogEncryptionSettingsCommand({})).catch(() => undefined)
  const { CatalogEncryptionMode: mode, SseAwsKmsKeyId: key } =
    answer?.DataCatalogEncryptionSettings?.EncryptionAtRest ?? {}
  return mode === undefined ? undefined : { mode, ...(key !== undefined && { key }) }
}
