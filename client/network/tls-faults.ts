/** Words for a fault of TLS, and what helps. */
export interface TlsFault {
  readonly fault: string
  /** Advice for the user of a command. */
  readonly advice: string
}

const extraFile = 'NODE_EXTRA_CA_CERTS=<file>'

const incomplete: TlsFault = {
  fault: 'its server leaves out an intermediate certificate, or an authority signed it that Node does not trust',
  advice: `save the missing certificate of the chain, in PEM, and set ${extraFile}; browsers hide this fault, because they fetch it themselves`,
}

const untrusted: TlsFault = {
  fault:
    'its certificate is signed by an authority that Node does not trust, as that of a company whose proxy reads traffic',
  advice: `set ${extraFile} to the certificate of that authority, in PEM, or NODE_OPTIONS=--use-system-ca (Node 22.15 and later) if the system trusts it`,
}

const notTls: TlsFault = {
  fault: 'its server does not speak TLS at this port',
  advice: 'check the port, and whether the address begins with http:// or https://',
}

const protocolVersion: TlsFault = {
  fault: 'its server speaks no version or cipher of TLS that Node accepts',
  advice: 'its operator must offer TLS 1.2 or 1.3',
}

/**
 * Faults by their codes. Source: OpenSSL, "X509_verify_cert_error_string" and "SSL error codes", as Node names them.
 */
const faults: Readonly<Record<string, TlsFault>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: incomplete,
  UNABLE_TO_GET_ISSUER_CERT: incomplete,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incomplete,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_HAS_EXPIRED: {
    fault: 'its certificate, or one that signed it, has expired',
    advice: 'its operator must renew it; check the clock of this machine',
  },
  CERT_NOT_YET_VALID: {
    fault: 'its certificate is not valid yet',
    advice: 'check the clock of this machine',
  },
  CERT_REVOKED: { fault: 'its certificate is revoked', advice: 'its operator must renew it' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    fault: 'its certificate is for other names',
    advice: 'check the name of the host in the address',
  },
  EPROTO: notTls,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  ERR_SSL_HTTP_REQUEST: notTls,
  ERR_SSL_UNSUPPORTED_PROTOCOL: protocolVersion,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: protocolVersion,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: protocolVersion,
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': protocolVersion,
}

/**
 * Returns the words for a fault of TLS by the code of its error; undefined for another error. Retries do not help.
 */
export function findTlsFault(code: string): TlsFault | undefined {
  const fault = faults[code]
  if (fault !== undefined || !/CERT|^ERR_TLS/.test(code)) return fault
  return { fault: 'its certificate is not accepted', advice: untrusted.advice }
}
