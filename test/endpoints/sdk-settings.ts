/** Settings of an SDK client for an endpoint of a test: any credentials, and no retries that would hide a fault. */
export const sdkSettings = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 1,
})
