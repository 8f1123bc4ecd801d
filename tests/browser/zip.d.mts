/** A file of an archive; what is not said is as it should be. */
export interface Packed {
  name: string;
  bytes: Uint8Array;
  flags?: number;
  method?: number;
  crc?: number;
  size?: number;
}

export function zip(files: Packed[]): Buffer<ArrayBuffer>;
