/** Writes zip archives. With `flags`, `method` or `crc` of their own, files are what they say: encrypted, packed otherwise, damaged. */
import { crc32, deflateRawSync } from "node:zlib";

export function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const { name, bytes, flags = 0, method = 8, crc = crc32(bytes), size = bytes.length } of files) {
    const packed = method === 8 ? deflateRawSync(bytes) : Buffer.from(bytes);
    const label = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(label.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\0"), common, rest, label);
    parts.push(Buffer.from("PK\x03\x04"), common, label, packed);
    at += 30 + label.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
