import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import org.bouncycastle.asn1.tsp.ArchiveTimeStamp;
import org.bouncycastle.asn1.tsp.EvidenceRecord;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.bc.BcDigestCalculatorProvider;
import org.bouncycastle.tsp.ers.ERSArchiveTimeStamp;
import org.bouncycastle.tsp.ers.ERSByteData;
import org.bouncycastle.tsp.ers.ERSException;

/**
 * Bouncy Castle's opinion of evidence records, each beside the text that it covers: each timestamp covers the one before it
 * and has a valid signature, and the first one covers its text and no other.
 *
 * ERSEvidenceRecord.validate is not used: it expects the last timestamp to cover all others, where RFC 4998 (5.2) has each
 * cover the one before it.
 */
public class Judge {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            ArchiveTimeStamp[] chain = chainOf(Path.of(name + ".ers"));
            for (String other : names) {
                if (covers(chain[0], Files.readAllBytes(Path.of(other + ".text"))) != other.equals(name)) {
                    throw new AssertionError(name + ".ers and " + other + ".text");
                }
            }
            for (int place = 0; place < chain.length; place++) {
                if (place > 0 && !covers(chain[place], chain[place - 1].getTimeStamp().getEncoded("DER"))) {
                    throw new AssertionError(name + ".ers: renewal " + place);
                }
                ERSArchiveTimeStamp timestamp = read(chain[place]);
                var signer = new JcaSimpleSignerInfoVerifierBuilder().setProvider(new BouncyCastleProvider());
                timestamp.validate(signer.build(timestamp.getSigningCertificate()));
            }
            System.out.println(name + ".ers: " + chain.length + " timestamps in a chain over its text alone");
        }
    }

    private static ArchiveTimeStamp[] chainOf(Path record) throws Exception {
        var chains = EvidenceRecord.getInstance(Files.readAllBytes(record)).getArchiveTimeStampSequence().getArchiveTimeStampChains();
        return chains[chains.length - 1].getArchiveTimestamps();
    }

    private static ERSArchiveTimeStamp read(ArchiveTimeStamp timestamp) throws Exception {
        return new ERSArchiveTimeStamp(timestamp.getEncoded("DER"), new BcDigestCalculatorProvider());
    }

    private static boolean covers(ArchiveTimeStamp timestamp, byte[] data) throws Exception {
        ERSArchiveTimeStamp judged = read(timestamp);
        try {
            judged.validatePresent(new ERSByteData(data), new Date(Long.MAX_VALUE));
            return true;
        } catch (ERSException refused) {
            return false;
        }
    }
}
